"""Work context: the input of a worker, as one canonical document.

``projections`` builds ``goal``, ``status``, ``next`` and the whole document, ``parts`` checks that
its parts agree, ``snapshot`` stores it under the hash of its bytes, and ``capture`` collects it
and refuses if anything changed meanwhile. Commands use it; it never prints.
"""
