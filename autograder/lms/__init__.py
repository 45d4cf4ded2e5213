"""To and from a learning management system: its archives of submissions, its tables, and the marks it takes back."""
