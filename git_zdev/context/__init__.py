"""Work context: what a worker is given, as one canonical document.

``projections`` builds ``goal``, ``status``, ``next`` and the whole document, ``parts``
says whether its parts agree, ``snapshot`` stores it under the hash of its bytes, and ``capture``
collects one. Commands use it; it never prints.
"""
