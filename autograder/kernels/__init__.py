"""Kernels for code that nobody has read: sandboxed by bubblewrap, and ready in a moment.

limits        what one kernel may use
sandbox       the command that starts bubblewrap
confine       namespaces, mounts, rights and system calls of one kernel
zygote        runs inside the sandbox and forks warm kernels
nursery       starts the zygote, asks it for kernels, watches over them
provisioner   lets jupyter_client, and so nbclient, nbgrader and nbval, use these kernels
"""
