import { commandWords } from '../command-words.ts'
import type { CommandEffect } from '../dialect.ts'
import { describeRelation, LISTS } from './catalog.ts'

const HELP = [
  '\\d            tables, views and sequences',
  '\\d NAME       columns, indexes and keys of a table',
  '\\dt \\dv \\ds \\di   tables, views, sequences, indexes; with a pattern such as \\dt shop.*',
  '\\dn \\df \\du    schemas, functions, roles',
  '\\l            databases',
  '\\c NAME       go on in another database',
  '\\conninfo     who and where you are',
  '\\x [on|off|auto]  one value a line',
  '\\timing       how long statements take',
  '\\G or \\gx     instead of ; for one statement: one value a line',
  '\\q or Ctrl-D  quit',
  'Ctrl-C        cancels the statement that runs · Ctrl-R searches the history · Tab completes names',
]

/** Commands that begin with a backslash, as psql has them. */
export function postgresqlCommand(text: string): CommandEffect {
  const { word, rest } = commandWords(text)
  const name = word.replace(/^\\/, '')
  const argument = rest.replace(/\s.*$/s, '')
  const plain = name.replace(/[+S]+$/, '')
  const list = Object.hasOwn(LISTS, plain) ? LISTS[plain] : undefined
  if (name === 'd' || name === 'd+') return argument ? describeRelation(argument) : run(LISTS.d?.(''))
  if (list) return run(list(argument))
  switch (name.toLowerCase()) {
    case 'q':
    case 'quit':
    case 'exit':
      return { does: 'leave' }
    case '?':
    case 'h':
    case 'help':
      return { does: 'say', lines: HELP }
    case 'x':
      return {
        does: 'layout',
        layout:
          argument === 'on' ? 'expanded' : argument === 'off' ? 'table' : argument === 'auto' ? 'auto' : undefined,
      }
    case 'timing':
      return { does: 'timing' }
    case 'c':
    case 'connect':
      return argument ? { does: 'database', name: unquoted(argument) } : run(LISTS.conninfo?.(''))
    case 'g':
    case 'p':
    case 'r':
    case 'echo':
      return { does: 'say', lines: [] }
    default:
      return { does: 'say', lines: [`invalid command \\${name}. Try \\? for help.`] }
  }
}

const run = (text: string | undefined): CommandEffect => ({ does: 'run', statements: text ? [{ text }] : [] })

const unquoted = (name: string): string => name.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')
