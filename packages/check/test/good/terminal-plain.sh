#!/bin/sh
# Prints text and reads nothing.
echo "It is noon."
