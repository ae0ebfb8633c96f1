#!/bin/sh
# .journal is a link to a text of the person's own, which is moved or told of when it is set aside.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=told
without=origin,calls

plant() { ln -s $home_from_store/.token .journal; }

attack "$@"
