# headline.gp - `headline` and `subtitle`, flush with the left axis, above the plot.

set label 1 "{/:Bold*1.2 ".headline."}" at graph 0, screen down(36) tc rgb ink
set label 2 subtitle at graph 0, screen down(67) tc rgb grey
