# style.gp - the look of all figures: size, font, colours, axes. Change it and run
# `gnuplot NAME.gp` again. Written for gnuplot 5.4.

set encoding utf8
set minussign

# In pixels. SVG counts letters in pixels too, PNG and PDF in points: 3/4 of them. A PDF
# has 96 pixels an inch.
page_width = 900
letter = 18
font = "sans-serif"

# Told apart by colour-blind readers (after Okabe and Ito), and in grey print.
blue = 0x0072b2
orange = 0xd55e00
sky = 0x9ecae1
ink = 0x222222
grey = 0x666666
silver = 0xd4d4d4
faint = 0xe4e4e4

# Of methods, the same in all figures. Neighbours differ in lightness; all markers but the
# last two are filled. After eight the colours begin again, with other markers.
array colour[8] = [blue, 0xe69f00, 0x882255, 0x009e73, ink, orange, 0x56b4e9, 0xcc79a7]
array marker[8] = [7, 5, 9, 13, 11, 15, 2, 1]
colour_of(m) = colour[1 + (m - 1) % 8]
marker_of(m) = marker[1 + (m - 1 + (m - 1) / 8) % 8]
is_filled(m) = marker_of(m) > 2

# Of heat maps: from pale to dark in even steps of lightness.
pale_to_dark = "(0 '#dcecc9', 1 '#a3d6b5', 2 '#5fb6b5', 3 '#3a8fb0', 4 '#33669c', 5 '#352f6b', 6 '#1d1233')"

# do for [kind in kinds] { eval(page(kind, NAME)); plot ... }: where the next plot goes.
# The devices differ in what they take a line of text, a point and a line of size 1 to be.
kinds = "svg png pdf"
font_of(kind, family, scale) = sprintf("%s,%g", family, (kind eq "svg" ? 1 : 0.75) * letter * scale)
device(kind, name) = (kind eq "svg" ? sprintf("svg name '%s'", name) \
                   : kind eq "png" ? "pngcairo dashlength 1.8 pointscale 1.6" \
                   : "pdfcairo dashlength 1.8 pointscale 1.2 linewidth 1.5 fontscale 0.75"). \
                     sprintf(" font '%s'", font_of(kind, font, 1))
size(kind) = kind eq "pdf" ? sprintf("%gin,%gin", page_width / 96.0, page_height / 96.0) \
                           : sprintf("%d,%d", page_width, page_height)
spacing(kind) = kind eq "svg" ? "set xlabel offset 0,0.5; set ylabel offset 0.8,0; set key spacing 1" \
                              : "set xlabel offset 0,0; set ylabel offset 0.3,0; set key spacing 1.3"
page(kind, name) = sprintf("set terminal %s size %s background '#ffffff'; set output '%s.%s'; %s", \
                           device(kind, name), size(kind), name, kind, spacing(kind))

# Pixels as shares of the page: from its left, from its bottom, from its top.
across(pixels) = 1.0 * pixels / page_width
up(pixels) = 1.0 * pixels / page_height
down(pixels) = 1 - up(pixels)

# eval(tall(PIXELS)): the height of the page, 179 pixels more than that of the plot.
tall(pixels) = (page_height = pixels, "set tmargin at screen down(91); set bmargin at screen up(88)")

# About how many pixels a text is wide that has so many characters.
text_width(characters) = 0.6 * letter * characters

# How many characters of a text are seen: marks of enhanced mode are not.
without(text, mark) = strstrt(text, mark) == 0 ? text \
    : without(text[1:strstrt(text, mark) - 1].text[strstrt(text, mark) + strlen(mark):*], mark)
seen(text) = strlen(without(without(without(without(without(text, "{/:Italic "), "{"), "}"), "_"), "\\"))

# A text as the label of a tic, which is a format too.
as_tic(text) = strstrt(text, "%") == 0 ? text \
    : text[1:strstrt(text, "%")]."%".as_tic(text[strstrt(text, "%") + 1:*])

# A column that may be NaN, which `stats` does not like to see.
field(n) = real(strcol(n))

# Between tics of a count: 1, 2, 5, 10, ..., so that there are 70 pixels for each.
nice(x, unit) = x <= unit ? unit : x <= 2 * unit ? 2 * unit : x <= 5 * unit ? 5 * unit : 10 * unit
whole_step(most, pixels) = 70.0 * most < pixels ? 1 \
                         : nice(70.0 * most / pixels, 10 ** floor(log10(70.0 * most / pixels)))

# A log scale shows 0, and what is beyond its end, at its end.
log_low(least) = least < 1e300 ? 10 ** floor(log10(least)) : 0.1
log_high(most) = most > 0 ? 10 ** ceil(log10(most * 1.0001)) : 1
at_least(low, y) = y < low ? low : y

# 198400 -> "198,400"
thousands(n) = n < 1000 ? sprintf("%d", n) : thousands(n / 1000).sprintf(",%03d", n % 1000)

set lmargin at screen 0.13
set rmargin at screen 0.965
eval(tall(675))
set border 3 lw 1 lc rgb grey
set tics nomirror out scale 0.6 tc rgb ink
set format x "%g"
set format y "%g"
set grid back lt 1 lw 0.7 lc rgb faint
set xlabel tc rgb ink
set ylabel tc rgb ink
set key noautotitle reverse Left samplen 2 tc rgb ink
