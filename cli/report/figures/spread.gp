# spread.gp - moves labels apart that would overlap. Takes `wanted`, an array of heights
# (shares of the plot), and `gap`, the least distance; gives `placed`, an array of heights
# in [0, 1], in the same order. What is too much for the plot is packed more closely.

array placed[|wanted|]
array order[|wanted|]
do for [i = 1:|wanted|] {
    rank = 1 + sum [j = 1:|wanted|] (wanted[j] < wanted[i] || (wanted[j] == wanted[i] && j < i))
    order[rank] = i
    placed[i] = wanted[i]
}
if (gap * (|wanted| - 1) > 1) { gap = 1.0 / (|wanted| - 1) }

# Neighbours push each other away until all have room.
do for [round = 1:100] {
    do for [rank = 1:|wanted| - 1] {
        a = order[rank]
        b = order[rank + 1]
        push = 0.5 * (gap - (placed[b] - placed[a]))
        if (push > 0) { placed[a] = placed[a] - push; placed[b] = placed[b] + push }
    }
    do for [rank = 1:|wanted|] {
        a = order[rank]
        lowest = gap * (rank - 1)
        highest = 1 - gap * (|wanted| - rank)
        placed[a] = placed[a] < lowest ? lowest : placed[a] > highest ? highest : placed[a]
    }
}
