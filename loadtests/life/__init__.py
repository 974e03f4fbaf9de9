"""`python -m loadtests.life`: does anything stay behind of ten thousand tables?"""
