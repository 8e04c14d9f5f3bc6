import { expect, test } from 'vitest'
import { readsCommands } from './reads-commands.ts'

test.each([
  'sh',
  'bash -s',
  'bash -s -- one two',
  '/bin/zsh',
  '-bash',
  'bash -x -e',
  'bash -o pipefail',
  'bash --rcfile ./rc',
  'bash 2>/dev/null',
  'bash -',
  "'bash' -s",
  'sudo -u web bash -s',
  'LANG=C sh -s',
  'env -i nice -n 5 dash',
  'cd /srv && sudo sh',
  'true; bash',
  'false || bash -s',
  'cd /srv\nbash -s',
  'bash -s | tee log',
  'cat | bash',
  'bash -so pipefail',
  'sudo -s',
  'sudo',
  'su - web',
  'ssh host',
  '$SHELL',
  'cat "x',
])('lines that come to it are commands: %s', (commandLine) => {
  expect(readsCommands(commandLine)).toBe(true)
})

test.each([
  'bash script',
  'bash < script',
  "bash -c 'cat'",
  'bash -lc cat',
  'cat',
  'ssh host cat',
  'bash -s -c cat',
  'bashful -s',
  'wash',
  'sudo cat',
  'echo bash',
  '',
])('what comes to it is data: %s', (commandLine) => {
  expect(readsCommands(commandLine)).toBe(false)
})
