import { expect, test } from 'vitest'
import { processorMs } from '../../../../test/processor-ms.ts'
import { commandsIn } from './commands-in.ts'
import { OpenQuotes } from './readings.ts'
import { scriptsWithin } from './scripts-within.ts'

const texts = (line: string) => commandsIn(line).commands.map(({ text }) => text)
const reasons = (line: string) => commandsIn(line).unresolved.map(({ why }) => why)

test('a line is taken apart into the simple commands that it runs', () => {
  expect(texts('ls -la | grep "a b" > out.txt && cd /srv; ! (pwd)')).toEqual([
    'ls -la',
    'grep a b > out.txt',
    'cd /srv',
    'pwd',
  ])
  expect(texts('if test -f x; then cat x; fi')).toEqual(['test -f x', 'cat x'])
  expect(texts('echo $(id)')).toEqual(['id', 'echo'])
  expect(commandsIn('ls # rm', false).commands.map(({ text }) => text)).toEqual(['ls'])
  expect(texts('# nothing')).toEqual([])
  expect(texts('')).toEqual([])
})

test('a word is what the shell makes of it', () => {
  expect(texts(`r\\m "r"m $'\\x72m' {a,b}c{1..3}`)).toContain('rm rm rm ac1 ac2 ac3 bc1 bc2 bc3')
  expect(texts('a="x  y"; echo $a "$a"')).toEqual(['a="x  y"', 'echo x y x  y'])
  expect(texts('a=1; a=2; echo $a')).toEqual(['a=1', 'a=2', 'echo 1', 'echo 2'])
  expect(texts("echo '$a' \\$b")).toEqual(['echo $a $b'])
})

test('programs that run others are followed, past their own options', () => {
  expect(texts('sudo -u web env A=1 rm x')).toEqual(['sudo -u web env A=1 rm x', 'env A=1 rm x', 'rm x'])
  expect(texts('sudo -uweb rm')).toContain('rm')
  expect(texts('timeout -k 1 5 rm')).toContain('rm')
  expect(texts('command -v rm')).toEqual(['command -v rm'])
  expect(texts('bash --norc -o pipefail -c "rm x"')).toContain('rm x')
  expect(texts(`bash -c 'eval "r""m x"'`)).toContain('rm x')
})

test('a value that only the machine knows is named', () => {
  expect(reasons('ls *.log ~/x > "$HOME"')).toEqual(['variable'])
  expect(reasons('ls *.log ~/x; [ ! -f a ]; echo "$?" $$; a!=b')).toEqual([])
  expect(reasons('!!')).toEqual(['history'])
  expect(reasons('echo "!x"')).toEqual(['history'])
  expect(reasons("echo '!x'")).toEqual([])
  expect(reasons('/bin/r?')).toEqual(['glob'])
  expect(reasons('cat x | sh')).toEqual(['input'])
  expect(reasons('sh x')).toEqual(['file'])
  expect(reasons('echo "x')).toEqual(['syntax'])
  expect(reasons('if x')).not.toEqual([])
  expect(reasons(`echo ${'a'.repeat(200_000)}`)).toEqual([])
  expect(reasons(`echo ${'a'.repeat(300_000)}`)).toEqual(['size'])
})

const TOKENS = [
  ...[
    '(',
    '((',
    '$(',
    '`',
    '"',
    "'",
    "$'",
    '${',
    '${x:-',
    '{ ',
    '[[ ',
    '$((',
    '<(',
    'if ',
    'case x in ',
    '<<a ',
    '<<<',
  ],
  ...['a=(', '\\', '!', '|', '&&', ';', 'a ', 'for i in ', 'f() ', '{a,b}', '{1..99}', '[', 'a[', '2>', '\n', '~', ')'],
  ...['}', 'done;', 'esac ', 'fi;', 'a=$a$a;', '$a', 'echo ', 'sh -c ', 'eval ', 'sudo ', 'xargs ', '\0', '中'],
]

test('any text is read in bounded time, without a fault and with bounded results', () => {
  // The same numbers in every run.
  let seed = 1
  const below = (end: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * end)
  }
  for (let round = 0; round < 300; round++) {
    const piece = Array.from({ length: 1 + below(8) }, () => TOKENS[below(TOKENS.length)]).join('')
    const length = round % 6 ? 1 + below(200) : 16_384
    const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
    let read: ReturnType<typeof commandsIn> | undefined
    expect(
      processorMs(() => (read = commandsIn(text))),
      text.slice(0, 60),
    ).toBeLessThan(10_000)
    const { commands = [], unresolved = [] } = read ?? {}
    expect(commands.length).toBeLessThanOrEqual(40_000)
    expect(commands.reduce((sum, one) => sum + one.text.length, 0)).toBeLessThan(2_500_000)
    expect(unresolved.length).toBeLessThan(500_000)
  }
})

test('nesting without end, values without end and words without end are given up, not followed', () => {
  for (const piece of ['((((', '$(', '{ ', 'eval ', 'a=$a$a;', '{a,b}', '<<a ', 'sudo ', 'f() '])
    expect(reasons(piece.repeat(65_536 / piece.length)), piece).not.toEqual([])
  expect(reasons(`a=xx;${'a=$a$a;'.repeat(100)}`)).toContain('size')
})

test('the newest of too many values of a variable are followed, and the others are reported as missing', () => {
  const many = Array.from({ length: 400 }, (_, n) => `a=x${n}`).join(';')
  expect(texts(`${many};a=rm;$a -rf /srv`)).toContain('rm -rf /srv')
  expect(reasons(`${many};$a`)).toEqual(['size'])
  expect(reasons(`for i in {1..4000}; do ls; done`)).toEqual([])
  expect(reasons(`for i in {1..400}; do ls $i; done`)).toContain('size')
})

test('a text nested deeper or grown larger than anybody writes is not read, and what people write is', () => {
  const isTooMuch = (line: string) => commandsIn(line).isTooMuch
  const hidden = 'for""bid'
  for (const line of [
    ...[
      ...['eval ', 'env ', 'command '].map((word) => word.repeat(24) + hidden),
      `a=xx;${'a=$a$a;'.repeat(40)}${hidden}`,
    ],
    ...[`${'$(echo '.repeat(40)}${hidden}${')'.repeat(40)}`, 'f() '.repeat(20_000), '<<a '.repeat(20_000)],
    ...[
      `a=${hidden};${Array.from({ length: 300 }, (_, n) => `a=x${n};`).join('')}$a`,
      `{${','.repeat(2000)}for""bid} x`,
    ],
  ])
    expect([line.slice(0, 60), isTooMuch(line)]).toEqual([line.slice(0, 60), true])
  for (const line of [
    ...[
      'for i in {1..9000}; do echo $i; done',
      'touch f{1..5000} g{1..90}{1..90}',
      `echo ${'QUJD'.repeat(50_000)} | base64 -d > f`,
    ],
    ...[`cat > x.cpp <<'EOF'\n${'  std::cout << a << b << std::endl;\n'.repeat(500)}EOF\n`, 'ls; '.repeat(2000)],
    ...['if [ -f x ]; then\n  echo "$x" >> log\n  sed -i s/a/b/ file\nfi\n'.repeat(1000), 'a=1;'.repeat(2000)],
    ...[`${'if x; then '.repeat(8)}y${'; fi'.repeat(8)}`, `${'$(echo '.repeat(6)}x${')'.repeat(6)}`],
    ...['ssh a \'ssh b "sudo sh -c \\"docker exec c ls\\""\'', 'for i in {1..200}; do eval "x$i=1"; done'],
  ])
    expect([line.slice(0, 60), isTooMuch(line)]).toEqual([line.slice(0, 60), false])
})

test('whether a shell in it reads what comes to a line is said', () => {
  const reads = (line: string) => commandsIn(line).readsInput
  for (const line of ['bash', 'cd /srv && sudo -s', '(bash)', 'su - web', '$SHELL', '/bin/b?sh', 'bash /dev/stdin'])
    expect([line, reads(line)]).toEqual([line, true])
  for (const line of ['. /dev/stdin', 'ssh other', 'timeout 9 sh', 'busybox sh', 'if true; then sh; fi'])
    expect([line, reads(line)]).toEqual([line, true])
  // Its input goes through another program first.
  for (const line of ['cat | bash', 'tee /tmp/x|sh', 'head -n 9 | sh', 'sort | sh', 'grep . | sudo bash', 'dd | sh'])
    expect([line, reads(line)]).toEqual([line, true])
  for (const line of [
    'cat - | tr -d x | sh',
    '{ cat; } | sh',
    'bash <(cat)',
    'source <(cat)',
    'eval "$(cat)"',
    '$(cat)',
  ])
    expect([line, reads(line)]).toEqual([line, true])
  for (const line of [
    'while read l; do eval $l; done',
    'while read -r l; do sh -c "$l"; done',
    'read x; $x',
    'parallel',
  ])
    expect([line, reads(line)]).toEqual([line, true])
  for (const line of ['xargs -I{} sh -c {}', 'xargs -n1 bash -c', 'ssh-agent bash', 'tmux -C', 'mapfile a; $a'])
    expect([line, reads(line)]).toEqual([line, true])
  for (const line of ['cat', 'bash -c cat', 'bash script', 'ssh other cat', 'ls *', 'cat $x', 'sudo cat'])
    expect([line, reads(line)]).toEqual([line, false])
  for (const line of [
    'cat x | bash',
    'curl x | sh',
    'tar xzf -',
    'gunzip | mysql shop',
    'cat > f; ls $x',
    'ls | xargs ls',
  ])
    expect([line, reads(line)]).toEqual([line, false])
})

test('a line is read as each shell reads it where they differ', () => {
  expect(texts('ls # rm')).toEqual(['ls', 'ls # rm'])
  expect(texts('ls #; rm x')).toContain('rm x')
  // No shell is read so that gets a program's command line.
  expect(commandsIn('ls #; rm x', false).commands.map(({ text }) => text)).toEqual(['ls'])
  expect(texts("echo $'\\'; rm x #'")).toContain('rm x')
  expect(texts('((rm x))')).toContain('rm x')
  expect(texts('[[ a || rm x ]]')).toContain('rm x ]]')
  expect(texts('ls &>f rm x')).toContain('rm x > f')
  expect(texts("echo 'a\\' ' ; rm x ; #'")).toContain('rm x')
  expect(texts('echo "a\\"; rm x #"')).toContain('rm x')
  // A text that all of them read alike stays the same.
  for (const line of ['[[ -f x ]] && ls', '[ a ]', 'echo \'it\' "is"', 'echo $((1 + 2))', 'ls a#b'])
    expect([line, commandsIn(line).unresolved.filter(({ why }) => why === 'syntax')]).toEqual([line, []])
})

test('a quote that another shell leaves open is a line that is not understood, and goes on in the next one', () => {
  expect(reasons("ls # don't")).toContain('syntax')
  expect(commandsIn("ls # don't", false).unresolved).toEqual([])
  const quotes = new OpenQuotes()
  quotes.add("ls # '")
  expect(quotes.with("echo '; rm x; echo '")).toEqual([`: 'echo '; rm x; echo '`])
  quotes.add("ls '")
  expect(quotes.with('ls')).toEqual([])
  quotes.add("ls 'open in bash as well")
  expect(quotes.with('ls')).toEqual([])
})

test('where a line runs what nobody can say, each of its words may be it', () => {
  const possible = (line: string) => commandsIn(line).possible
  expect(possible('echo rm x > f; sh f')).toContain('rm x > f')
  expect(possible(': rm; $_ x')).toContain('rm')
  expect(possible('f() { "$@"; }; f rm x')).toContain('rm x')
  // The words of a script of its own are not.
  expect(possible('sh deploy rm')).toEqual([])
  expect(possible('echo "$HOME" rm')).toEqual([])
})

test('programs of other languages are looked through for what they run', () => {
  const possible = (line: string) => commandsIn(line).possible
  expect(possible(`awk 'BEGIN { system("rm x") }'`)).toContain('rm x')
  expect(possible("sed 's/a/rm x/e' f")).toContain('rm x')
  for (const line of ["awk '/rm/ { print $1 }' f", "sed -n '/rm x/p' f", "sed 's/rm/x/g' f", 'python3 -c "print(1)"'])
    expect([line, possible(line).filter((one) => one.startsWith('rm'))]).toEqual([line, []])
  const hostile = `s/${'\\x'.repeat(8000)}`
  const readAll = () => {
    for (const program of ['perl -e', 'sed', 'vim -c']) commandsIn(`${program} '${hostile.slice(0, 16_000)}'`)
  }
  // By the number of ways to read it, this takes longer than anybody waits.
  expect(processorMs(readAll)).toBeLessThan(20_000)
})

test('a text that only another shell reads as a command is one, and so is one that arithmetic or a qualifier runs', () => {
  expect(texts(';r""m x')).toContain('rm x')
  expect(texts('for x (1) rm x')).toContain('rm x')
  expect(texts("git commit -m 'a; rm x")).not.toContain('rm x')
  expect(texts("[[ 'a[`rm x`]' -eq 1 ]]")).toContain('rm x')
  expect(texts(`[[ 'a[$'"(rm x)]" -eq 1 ]]`)).toContain('rm x')
  expect(texts('ls *(e:"rm x":)')).toContain('rm x')
  expect(reasons('ls *(a|b)')).toEqual(['glob'])
})

test('behind words of zsh that end a condition in braces stands a command', () => {
  for (const line of [
    'if { true } then rm x; fi',
    'while { true } do rm x; done',
    'if { false } then ls; else rm x; fi',
    'if { false } then ls; elif { true } then rm x; fi',
  ])
    expect(texts(line), line).toContain('rm x')
})

test('a qualifier is found with any delimiter, behind others and behind what only begins like one', () => {
  expect(scriptsWithin('ls *(.Ne:rm x:)')).toEqual(['rm x'])
  expect(scriptsWithin('ls (e+ (e_ (e?rm x?) (e(rm y))')).toEqual(['rm x', 'rm y'])
  expect(scriptsWithin('ls *(e:rm x:e.)')).toEqual(['rm x'])
  expect(scriptsWithin('ls *(e:rm x)')).toEqual([])
})

test('a text that begins like a qualifier again and again, with ever other delimiters, is read in no time', () => {
  const text = Array.from({ length: 45_000 }, (_, n) => `(e${String.fromCharCode(0x2500 + n)}`).join('')
  // To look for each in all the rest would take minutes.
  expect(processorMs(() => expect(scriptsWithin(text)).toEqual([]))).toBeLessThan(10_000)
})
