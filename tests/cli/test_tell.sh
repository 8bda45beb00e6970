#!/bin/sh
# zilch tell: what is read as which value, and what is refused, with its place; nothing of a file is taken then.
. "$(dirname "$0")/lib.sh"

"$zilch" ask fresh --dim 3 --refinement no --population 12 >/dev/null

# takes EXPECTED TEXT: the file is taken as these ids and values
takes()
{
  cp fresh study
  # shellcheck disable=SC2059 # with escapes
  printf "$2" >values
  expect_status 0 "$zilch" tell study values
  "$zilch" tell study --advance >/dev/null
  taken=$("$zilch" export study | sed 1d | cut -d, -f3,4 | tr '\n' ' ')
  [ "$taken" = "$1" ] || complain "taken as $taken: $2"
}

# refuses WHY TEXT: nothing of the file is taken
refuses()
{
  cp fresh study
  # shellcheck disable=SC2059 # with escapes
  printf "$2" >values
  expect_failure "$1" "$zilch" tell study values
  cmp -s fresh study || complain "something was taken: $2"
}

# Tables: any separator, names in any order and in quotes, columns that are not read, CRLF, a mark of UTF-8.
takes '0,1.5 1,2 ' 'id,value\n0,1.5\n1,2\n'
takes '0,1.5 1,2 ' 'id,value\r\n0,1.5\r\n1,2\r\n'
takes '0,1.5 1,2 ' '\357\273\277ID;Value\n0;1.5\n1;2'
takes '0,1.5 1,2 ' 'value\tid\n1.5\t0\n2\t1\n'
takes '0,1.5 1,2 ' '  0   1.5  \n\n# a comment\n1\t2\n'
takes '0,1.5 1,2 ' '"note","id","value"\n"a, ""b""","0","1.5"\n,1, 2 \n'
takes '0,1.5 1,2 ' 'x,x,id,value,sigma\n7,8,0,1.5,0.5\n7,8,1,2,\n'
takes '0,100000 ' "0,1.$(printf '%0100d' 0)e5\n"
takes '0,nan 1,nan 2,nan 3,nan 4,1 ' '0,nan\n1,\n2,NULL\n3,failed\n4,1\n'
takes '0,1.5 1,2 ' '{"id":0,"value":1.5}\n\n{"id":1,"value":2,"note":"x"}\r\n'
takes '0,1.5 1,nan ' '{"id":0,"value":1.5}\n{"id":1,"error":"e"}\n'
takes '0,nan 1,nan 2,1 ' '{"id":0,"value":null}\n{"id":1,"value":3,"error":"e"}\n{"id":2,"value":1}\n'

# A field is a number as a whole.
refuses "values: line 1, field 2 (value): '1 000' is not a number" '0,1 000\n'
refuses "values: line 2, field 2 (value): '1 000' is not a number" 'id;value\n0;1 000\n'
refuses "values: line 1: has 3 fields; without a line of names there are two" '0 1 000\n'
refuses "values: line 1, field 2 (value): '1,5' is not a number" '0;1,5\n'
refuses 'write 1000.5, with a decimal point and without blanks' '0;1,5\n'
refuses "values: line 3, field 2 (value): '1,5' is not a number" 'id;value\n1;2.5\n0;1,5\n'
refuses "values: line 2, field 2 (value): '1,5' is not a number" 'id\tvalue\n0\t1,5\n'
refuses 'values: line 2: has 3 fields, but line 1 names 2' 'id,value\n0,1,5\n'
refuses 'values: line 1: has 3 fields; without a line of names' '0,1,5\n'
for number in 1.5x 0x10 1e 1e999 1e-999 1_000 "1'000" --1 1.5.2 '1.5\\302\\240'; do
  refuses 'values: line 2, field 2 (value): ' "0,1\n1,$number\n"
done
refuses "values: line 2, field 3 (sigma): '-1' is not a number from 0 on" 'id,value,sigma\n0,1,-1\n'
refuses "values: line 2, field 3 (sigma): '0,5' is not a number from 0 on" 'id;value;sigma\n0;1;0,5\n'
refuses 'values: line 2, field 2: its quotes are not closed' 'id,value\n0,"1.5\n'
refuses 'values: line 2, field 2: its quotes are not closed' 'id,value\n0,"1"5\n'

# An id is a whole number.
for id in -1 0.5 1e300 9007199254740992 x nan 0x1 '1 2' ''; do
  refuses 'field 1 (id): ' "id,value\n$id,1\n"
done
for id in -1 0.5 1e0 9007199254740992 '"1"' null; do
  refuses 'values: line 2: has no "id", a whole number' "{\"id\":1,\"value\":1}\n{\"id\":$id,\"value\":1}\n"
done
refuses 'values: line 2, column 7: ' '{"id":1,"value":1}\n{"id":99999999999999999999,"value":1}\n'

# Every line has the fields of the first, and names are said once.
refuses 'values: line 3: has 1 field, but line 1 names 2' 'id,value\n0,1\n1\n'
refuses 'values: line 2: has 2 fields, but line 1 names 3' 'id,value,sigma\n0,1\n'
refuses 'values: line 2: has 3 fields' '0,1\n1,2,3\n'
refuses 'values: line 2: has 1 field' 'id,value\n0;1\n'
refuses 'values: line 1: fields 2 and 3 are both called value' 'id,value,value\n0,1,2\n'
refuses 'values: line 1: fields 1 and 4 are both called id' 'id,x,value,"ID"\n0,1,2,3\n'
refuses 'values: line 1: fields 3 and 4 are both called sigma' 'id,value,sigma,sigma\n0,1,2,3\n'
refuses 'values: line 1: names columns, but not both id and value' 'id,worth\n0,1\n'
refuses "values: line 3, field 1 (id): 'id' is not a whole number" 'id,value\n0,1\nid,value\n1,2\n'
for name in id value error sigma; do
  refuses 'duplicate object key' "{\"id\":0,\"value\":1}\n{\"id\":1,\"value\":1,\"$name\":1,\"$name\":1}\n"
done

# Lines end with a line feed.
refuses 'values: line 1: has a carriage return within it' 'id,value\r0,1\r1,2\r'
refuses 'values: line 1: has a carriage return within it' '0,1\r1,2'
refuses 'values: line 1: has a carriage return within it' '{"id":0,"value":1}\r{"id":1,"value":1}\r'
refuses 'values: line 2: has a carriage return within it' 'id,value\r\n0,1\r1,2\r\n'

# A file has one format.
refuses 'values: line 2: is not a JSON object, but line 1 is one' '{"id":0,"value":1}\n1,2\n'
refuses 'values: line 3: is not a JSON object, but line 2 is one' '# JSON\n{"id":0,"value":1}\nid,value\n1,2\n'
refuses 'values: line 2: is JSON, but line 1 begins a table' '1,2\n{"id":0,"value":1}\n'
refuses 'values: line 2: is JSON, but line 1 begins a table' 'id,value\n{"id":0,"value":1}\n'
refuses 'values: line 1, column 20: ' '{"id":0,"value":1} {"id":1,"value":1}\n'
refuses 'values: line 1, field 3: its quotes are not closed' ',{"id":0,"value":1}\n'

# All is looked at before anything is taken: the last line, and what the study says to it.
refuses 'values: line 4, field 2 (value): ' 'id,value\n0,1\n1,2\n2,x\n'
refuses 'values: line 3, column 17: ' '{"id":0,"value":1}\n{"id":1,"value":2}\n{"id":2,"value":\n'
refuses 'id 0 is there twice' '0,1\n1,2\n0,3\n'
refuses '99' '0,1\n99,2\n'
verdict
