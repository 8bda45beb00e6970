# style.gp - the look of all figures: size, font, colours, axes. Change it and run
# `gnuplot NAME.gp` again. Written for gnuplot 5.4.

set encoding utf8

# In pixels. SVG counts its letters in pixels too, PNG in points: 3/4 of them.
page_width = 900
page_height = 675
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

# eval(page("svg", NAME)), eval(page("png", NAME)): where the next plot goes. The two
# devices differ in what they take a line of text and a point of size 1 to be.
device(kind, name) = kind eq "svg" ? sprintf("svg name '%s' font '%s,%g'", name, font, letter) \
                                   : sprintf("pngcairo dashlength 1.8 pointscale 1.6 font '%s,%g'", font, 0.75 * letter)
spacing(kind) = kind eq "svg" ? "set xlabel offset 0,0.5; set ylabel offset 0.8,0; set key spacing 1" \
                              : "set xlabel offset 0,0; set ylabel offset 0.3,0; set key spacing 1.3"
page(kind, name) = sprintf("set terminal %s size %d,%d background '#ffffff'; set output '%s.%s'; %s", \
                           device(kind, name), page_width, page_height, name, kind, spacing(kind))

# eval(headline(TITLE, SUBTITLE)): flush with the left axis, above the plot.
headline(title, subtitle) = sprintf( \
    "set label 1 \"{/:Bold*1.2 %s}\" at graph 0, screen 0.947 tc rgb ink; ". \
    "set label 2 \"%s\" at graph 0, screen 0.9 tc rgb grey", title, subtitle)

# 198400 -> "198,400"
thousands(n) = n < 1000 ? sprintf("%d", n) : thousands(n / 1000).sprintf(",%03d", n % 1000)

set lmargin at screen 0.13
set rmargin at screen 0.965
set tmargin at screen 0.865
set bmargin at screen 0.13
set border 3 lw 1 lc rgb grey
set tics nomirror out scale 0.6 tc rgb ink
set format x "%g"
set format y "%g"
set grid back lt 1 lw 0.7 lc rgb faint
set xlabel tc rgb ink
set ylabel tc rgb ink
set key noautotitle reverse Left samplen 2 tc rgb ink
