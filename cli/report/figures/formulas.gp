# formulas.gp - a controller as a page of formulas, their equality signs below one another;
# lines without one go on with the formula before. Reads formulas.meta.gp
# and formulas.text.dat.

load "style.gp"
load "formulas.meta.gp"
texts_of = "formulas"
load "texts.gp"
title = text[1]
line_of(i) = text[1 + i]

# What is left and right of the equality signs.
array before[lines]
array after[lines]
mark = " = "
longest_before = 0
longest_after = 0
do for [i = 1:lines] {
    at = strstrt(line_of(i), mark)
    before[i] = at > 0 ? substr(line_of(i), 1, at - 1) : ""
    after[i] = substr(line_of(i), at > 0 ? at + strlen(mark) : 1, strlen(line_of(i)))
    n = seen(before[i])
    longest_before = n > longest_before ? n : longest_before
    n = width[i] - (at > 0 ? n + strlen(mark) : 0)
    longest_after = n > longest_after ? n : longest_after
}

# Letters as large as the longest line lets them be; a formula is half a line away from
# the one before it.
left = 45
large = 1.1 * (page_width - 2 * left) / text_width(longest_before + strlen(mark) + longest_after)
large = large > 1.6 ? 1.6 : large
pitch = 2 * letter * large
equals = left + 0.9 * large * text_width(longest_before + 1)
gaps = lines > 1 ? sum [i = 2:lines] (before[i] ne "") : 0
eval(tall(110 + (lines + 0.5 * gaps) * pitch))
headline = title
subtitle = ""
load "headline.gp"
set lmargin at screen across(left)

set xrange [0:1]
set yrange [0:1]
unset border
unset tics
unset grid
set key off

do for [kind in kinds] {
    eval(page(kind, "formulas"))
    y = 60
    do for [i = 1:lines] {
        y = y + (i > 1 && before[i] ne "" ? 1.5 : 1) * pitch
        set label 3 * i before[i] at screen across(equals - 0.7 * letter * large), screen down(y) right \
            tc rgb ink font font_of(kind, "serif", large)
        set label 3 * i + 1 (before[i] ne "" ? "=" : "") at screen across(equals), screen down(y) center \
            tc rgb ink font font_of(kind, "serif", large)
        set label 3 * i + 2 after[i] at screen across(equals + 0.7 * letter * large), screen down(y) left \
            tc rgb ink font font_of(kind, "serif", large)
    }
    plot 2
}
unset output
