#!/bin/sh
# One reader of answers: a line means the same to 'zilch tell' and to '--program'.
. "$(dirname "$0")/lib.sh"

expect_status 0 "$zilch" ask fresh --dim 2 --population 12
cat >evaluate.sh <<'EOF'
while read -r line; do
  id=${line#*:}
  id=${id%%,*}
  if [ "$id" = 0 ]; then cat case; else echo "{\"id\":$id,\"value\":1}"; fi
done
EOF

# What a program's answer to point 0 was taken for: value, failed or wrong.
by_program()
{
  rm -f run
  "$zilch" optimize --program 'sh evaluate.sh' --dim 2 --population 12 --generations 1 --study run >/dev/null 2>&1
  case $("$zilch" export run --failures | sed -n 2p) in
    *'said: '*) echo failed ;;
    *'answered '*) echo wrong ;;
    *) echo value ;;
  esac
}

by_tell()
{
  cp fresh study
  if ! "$zilch" tell study case >/dev/null 2>"$scratch/io/why"; then
    echo wrong
    return
  fi
  "$zilch" tell study --advance >/dev/null 2>&1 || :
  case $("$zilch" export study --failures | sed -n 2p) in '') echo value ;; *) echo failed ;; esac
}

# means VERDICT LINE
means()
{
  printf '%s\n' "$2" >case
  found=$(by_tell)
  [ "$found" = "$1" ] || complain "zilch tell takes it for $found, not $1: $2"
  found=$(by_program)
  [ "$found" = "$1" ] || complain "--program takes it for $found, not $1: $2"
}

means value '{"id":0,"value":3.25}'
means value '{"id":0,"value":3.25,"sigma":0.5,"error":null}'
means value '{"id":0,"value":3.25,"note":1,"note":2}'
means value '{"id":0,"value":3.25,"violations":[0.25,-1, 1e-3]}'
means value '{"id":0,"value":3.25,"violations":[],"violation":null}'
means value '{"id":0,"value":3.25,"violation":-2}'
means failed '{"id":0,"value":3.25,"violations":[1e308,1e308]}'
means wrong '{"id":0,"value":3.25,"violations":[1e999]}'
means failed '{"id":0,"error":"e","violation":"x"}'
means wrong '{"id":0,"value":3.25,"violations":0.25}'
means wrong '{"id":0,"value":3.25,"violations":["a"]}'
means wrong '{"id":0,"value":3.25,"violations":[null]}'
means wrong '{"id":0,"value":3.25,"violations":[[1]]}'
means wrong '{"id":0,"value":3.25,"violation":[0.25]}'
means wrong '{"id":0,"value":3.25,"violation":"1"}'
means wrong '{"id":0,"value":3.25,"violation":1,"violations":[1]}'
means failed '{"id":0,"error":"e"}'
means failed '{"id":0,"value":null}'
means failed '{"id":0,"value":3,"error":"e"}'
means failed '{"id":0,"value":"x","error":"e"}'
means failed '{"id":0,"value":3,"sigma":-1,"error":"e"}'
means failed '{"id":0,"value":null,"sigma":"x"}'
means failed '{"id":0,"error":5}'
means wrong '{"id":0}'
means wrong '{"id":0,"error":null}'
means wrong '{"id":0,"value":"x"}'
means wrong '{"id":0,"value":"x","error":null}'
means wrong '{"id":0,"value":1,"sigma":-1}'
means wrong '{"id":0,"value":1,"value":1}'
means wrong '{"id":0.5,"value":1}'
means wrong '{"id":0,"value":NaN}'
means wrong '{"id":0,"value":1}}'
means wrong '{"value":1}'
verdict
