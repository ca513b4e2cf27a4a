#!/bin/sh
# Draws the icons of public/icons from icon.svg, by hand whenever the drawing changes.
# usage: Web/make-icons.sh     needs: librsvg2-bin, pngquant, optipng (Debian)
set -eu
cd "$(dirname "$0")/public/icons"

# The drawing without its round corners: systems that cut a shape of their own need the whole square.
square() { sed 's/ rx="116"//' icon.svg; }

# The same, drawn smaller, so that the sheet lies in the circle that every mask keeps.
maskable() { square | sed 's/<g id="sheet">/<g id="sheet" transform="matrix(.8 0 0 .8 51.2 51.2)">/'; }

# Two flat colours and their edges: sixteen shades are enough.
draw() {
    rsvg-convert --width "$1" --height "$1" /dev/stdin | pngquant --strip 16 - >"$2"
    optipng -quiet -o7 "$2"
}

draw 192 icon-192.png <icon.svg
draw 512 icon-512.png <icon.svg
maskable | draw 512 maskable-512.png
square | draw 180 apple-touch-icon.png
