"""Work context: what a worker is given, as one canonical document.

``projections`` builds ``goal``, ``status``, ``next`` and the whole document, ``parts``
says whether its parts agree, ``snapshot`` stores it under a name that cannot lie, and
``capture`` takes one while nothing moves. Commands use it; it never prints.
"""
