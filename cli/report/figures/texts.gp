# texts.gp - the texts of a figure, such as the names of methods. Takes `texts_of`, the name
# of the figure, and `texts`, how many it has. Gives `text`, an array of them, in the markup
# of enhanced mode.
#
# Texts may come from anybody, so none of them is ever part of a script: NAME.text.dat has a
# row for each byte, with the number of the text and the byte. Nor may a text become a part of
# what is given to eval, load, system or sprintf as a format, or of the name of a file. To have
# other texts, set them after this file is loaded: title = "My title".

array text[texts]
do for [i = 1:texts] { text[i] = "" }
stats texts_of.".text.dat" using (text[int($1)] = text[int($1)].sprintf("%c", int($2)), 0) nooutput
