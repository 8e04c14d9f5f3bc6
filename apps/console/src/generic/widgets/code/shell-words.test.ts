import { expect, test } from 'vitest'
import { shellWords } from './shell-words.ts'

test('a command is cut into its colors, and together they are the command again', () => {
  const code = `if [ "$A" ]; then echo 'it is' $B # why\nfi`
  const words = shellWords(code)
  expect(words.map(({ text }) => text).join('')).toBe(code)
  expect(words.filter(({ kind }) => kind !== 'plain')).toEqual([
    { kind: 'keyword', text: 'if' },
    { kind: 'string', text: '"$A"' },
    { kind: 'keyword', text: 'then' },
    { kind: 'keyword', text: 'echo' },
    { kind: 'string', text: "'it is'" },
    { kind: 'variable', text: '$B' },
    { kind: 'comment', text: '# why' },
    { kind: 'keyword', text: 'fi' },
  ])
})

test('a quote that is still open reaches to the end, and a # inside a word is no comment', () => {
  expect(shellWords('say "half').at(-1)).toEqual({ kind: 'string', text: '"half' })
  expect(shellWords('curl x#y')).toEqual([{ kind: 'plain', text: 'curl x#y' }])
})
