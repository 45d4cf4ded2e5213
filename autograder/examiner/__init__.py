"""Tests run here, apart from the student's code; only calls and plain values cross.

The examiner executes the locked cells and the tests of an assignment. A name that an answer cell defines stands
there for something in the student's kernel: calling it sends the arguments, runs the student's function over there and
brings back plain data. So the tests and the right values are never where the student's code runs, and the only way to
a mark is a right value.

    codec         plain values, from the student's process
    errands       what the examiner asks for, to the student's process
    errand_boy    does it, in the student's process
    namespace     the student's names, in the examiner
    examination   runs cells and tests, in a process of its own
"""
