import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { filled, fits, fitsSecret, isValue, namesIn, templateOf } from './template.ts'

/** Values in which a shell would read more than a part of a word. */
const HOSTILE = [
  'two words',
  '$(echo run)',
  '`echo run`',
  "it's",
  `'"'"'`,
  '"; echo run; "',
  '; echo run',
  '* ?? [a-z]*',
  '~',
  '\\',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell would read it
  '${HOME}',
  '{{b}}',
  '#no comment',
  '&& echo run ||',
  '!!',
  '你 好',
]

test('where a word may stand, whatever a value holds is that word and nothing more', () => {
  const places = [
    '{{v}}',
    'x={{v}}',
    '--a={{v}}',
    'pre{{v}}post',
    '"q" {{v}}',
    "'q' {{v}}",
    '\\" {{v}}',
    '$(printf %s {{v}})',
    'readable thread.read --read {{v}}',
    "a;# it's\necho {{v}}",
  ]
  for (const value of HOSTILE) {
    const template = templateOf(`printf '[%s]' ${places.slice(0, 4).join(' ')} # it's {{v}}`)
    expect([value, fits([template], 'v', value)]).toEqual([value, true])
    const output = execFileSync('/bin/sh', ['-c', filled(template, { v: value })], { encoding: 'utf8' })
    expect(output).toBe(`[${value}][x=${value}][--a=${value}][pre${value}post]`)
  }
  for (const place of places) expect([place, fits([templateOf(`echo ${place}`)], 'v', 'a b')]).toEqual([place, true])
})

test.each([
  'echo "{{v}}"',
  "echo '{{v}}'",
  'echo "a" "{{v}}"',
  'echo \\{{v}}',
  'echo `echo {{v}}`',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell would read it
  'echo ${{v}}',
  'echo "$(echo {{v}})"',
  "echo $'a' {{v}}",
  'echo $(( {{v}} ))',
  '[[ {{v}} -eq 1 ]]',
  'cat <<END\n{{v}}\nEND',
  'eval echo {{v}}',
  'true; let {{v}}',
  '# a comment\necho "{{v}}"',
  // A comment behind a subshell, and none behind what is substituted or escaped.
  "(echo a)#it's\necho '{{v}}'",
  "echo $(echo a)#it's {{v}}",
  "echo a\\ #it's {{v}}",
  "echo a\\\n#it's {{v}}",
  "echo a\u00a0#it's {{v}}",
  // Read once more, as subscripts and commands.
  'echo $[ {{v}} ]',
  'a[{{v}}]=1',
  '[ -v {{v}} ]',
  'printf -v {{v}} x',
  'printf -v{{v}} x',
  'read {{v}}',
  'read</dev/null {{v}}',
  'f() { local a{{v}}=1; }',
  '(getopts x {{v}})',
  '>/dev/null mapfile {{v}}',
  'trap {{v}} EXIT',
  'wait -n -p {{v}}',
])('%j takes plain values alone', (step) => {
  const template = templateOf(step)
  expect(namesIn(template)).toEqual(['v'])
  for (const value of HOSTILE) expect([value, fits([template], 'v', value)]).toEqual([value, false])
  expect(fits([template], 'v', 'web-1.example:8080/a_b@c%d+e=f,g')).toBe(true)
  expect(filled(template, { v: 'plain' })).toBe(step.replace('{{v}}', 'plain'))
})

test.each([
  'x={{v}}; echo $((x+1))',
  'set -- {{v}}; echo $(($1+1))',
  'for x in {{v}}; do [[ $x -eq 1 ]]; done',
  'f() { local -i n=$1; }; f {{v}}',
  'x={{v}}; let x+=1',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell would read it
  'x={{v}}; echo "${PATH:x}"',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell would read it
  'x={{v}}; a=(1 2); echo "${a[x]}"',
  'x={{v}}; [ "$x" -gt 1 ]',
  'x={{v}}; eval echo $x',
  'x={{v}}; unset "$x"',
  'x={{v}}; read -r "$x"',
  'x={{v}}; mapfile -C "$x" -c 1 lines',
  'x={{v}}; trap "$x" EXIT',
  'x={{v}}; wait -n -p "$x"',
  'x={{v}}; test -v "$x"',
])('%j calculates with what came before: plain values alone', (step) => {
  const subscript = 'a[$(echo run >&2)]'
  expect(fits([templateOf(step)], 'v', subscript)).toBe(false)
  expect(fits([templateOf(step)], 'v', '42')).toBe(true)
})

test('a secret is in the text only where the shell alone reads it', () => {
  const unseen = [
    'PW={{v}}',
    'PW={{v}} psql',
    'A=1 PW={{v}} psql -c "select 1"',
    'cd /; export PW={{v}}',
    'if true; then PW={{v}} x; fi',
    "printf '%s' {{v}} | mysql",
    '# why\nPW={{v}} x',
    '(PW={{v}} x)',
  ]
  const seen = ['mysql -p{{v}}', 'x {{v}}', 'PW={{v}} x {{v}}', 'env PW={{v}} x', 'sudo PW={{v}} x', 'echo {{v}}']
  const quoted = ['PW="{{v}}" x', "PW='{{v}}'", 'x $(y {{v}})', 'x <(y {{v}})', 'xprintf {{v}}', 'printf x; y {{v}}']
  for (const step of unseen) expect([step, fitsSecret([templateOf(step)], 'v')]).toEqual([step, true])
  for (const step of [...seen, ...quoted]) expect([step, fitsSecret([templateOf(step)], 'v')]).toEqual([step, false])
  expect(filled(templateOf('PW={{v}} x {{w}}'), { w: 'a' }, new Set(['v']))).toBe('PW="$v" x a')
})

test('a value is one line that can be seen, and no option', () => {
  for (const value of ['-rf', 'a\nb', 'a\0b', 'a\u001b[31mb', 'a\u202eb', 'a\u2028b', '\ud800'])
    expect([value, isValue(value)]).toEqual([value, false])
  for (const value of HOSTILE) expect([value, isValue(value)]).toEqual([value, true])
})

test('what looks like templates of other tools stays, and a value is no template', () => {
  const step = "docker ps --format '{{.Names}} {{json .}}' {{v}} {{host.name}}"
  expect(namesIn(templateOf(step))).toEqual(['v', 'host.name'])
  expect(filled(templateOf(step), { v: '{{host.name}}' })).toBe(
    "docker ps --format '{{.Names}} {{json .}}' '{{host.name}}' {{host.name}}",
  )
})
