import { isClusterName } from '@sallyport/contract/socket/cluster-names.ts'
import { plainText } from '../../../prompt/plain-text.ts'
import type { Ask } from '../../../repl/ask.ts'
import type { CommandEffect, Dialect } from '../../../repl/dialect.ts'
import type { Completion } from '../../../repl/editor/statement-editor.ts'
import { ASKS_NAMES, type ClusterLine } from './cluster-line.ts'
import { isVerb, VERBS } from './command-line.ts'

const OWN = /^(?:exit|quit|\\q|help|\?|clear|(?:ns|namespace)(?:\s.*)?)$/s
const OWN_WORDS = ['help', 'exit', 'ns']
const HELP = [
  'get KIND [NAME…]      objects as a table; -o wide, yaml, json, name; -A; -l LABEL=VALUE; --field-selector',
  'describe KIND NAME    an object with its events',
  'events [--for KIND/NAME]',
  'logs POD [-c CONTAINER] [-f] [-p] [--tail=N] [--since=5m] [--timestamps]',
  'exec POD [-c CONTAINER] -- PROGRAM …    without input; a shell opens from the tree of the web terminal',
  'delete KIND NAME…',
  'api-resources, version',
  'ns NAME               goes on in another namespace; -n NAME for one command',
  'exit or Ctrl-D        leaves',
  'kubectl or k may stand in front. Ctrl-C breaks off · Ctrl-R searches the history · Tab completes',
]
/** Which of its words names a kind, and which an object of it. */
const OBJECTS_OF: Readonly<Record<string, string>> = { logs: 'pods', exec: 'pods', ns: 'namespaces' }

/** Commands that people know from `kubectl`, for a cluster of that name. */
export function kubernetesDialect(name: string): Dialect<ClusterLine> {
  return {
    style: 'lines',
    layout: 'auto',
    greeting: ({ wire }) => [`Kubernetes - ${plainText(name)}, namespace ${wire.place.database}. help, exit`],
    prompts: ({ wire }) => ({ first: `k8s[${wire.place.database}]> `, more: '' }),
    isComplete: () => true,
    pieces: (text) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
        .map((line) => ({ text: line, ending: OWN.test(line) ? 'command' : 'plain' })),
    command: ownCommand,
    complete: completeLine,
    summary: () => [],
    timing: () => [],
    isAskable: () => true,
  }
}

function ownCommand(text: string): CommandEffect {
  const [word = '', name = ''] = text.split(/\s+/)
  if (['exit', 'quit', '\\q'].includes(word)) return { does: 'leave' }
  if (word === 'clear') return { does: 'say', lines: ['\x1b[2J\x1b[H'] }
  if (word === 'help' || word === '?') return { does: 'say', lines: HELP }
  if (isClusterName(name)) return { does: 'database', name }
  return { does: 'say', lines: ['ns NAME: goes on in that namespace'] }
}

/** Commands, kinds, and names of objects, which are asked for. */
async function completeLine(before: string, ask: Ask): Promise<Completion | undefined> {
  const words = before
    .trimStart()
    .replace(/^(?:kubectl|k)\s+/, '')
    .split(/\s+/)
  const last = words.pop() ?? ''
  const [verb, ...given] = words
  const found = (candidates: readonly string[]): Completion => ({
    length: last.length,
    candidates: candidates.filter((one) => one.startsWith(last)),
  })
  if (verb === undefined) return found([...VERBS, ...OWN_WORDS])
  const names = async (kind: string) => found((await ask(`${ASKS_NAMES}${kind}`)).map(([name = '']) => name))
  if (['-n', '--namespace'].includes(given.at(-1) ?? '')) return names('namespaces')
  if (last.startsWith('-')) return undefined
  const plain = given.filter((word) => !word.startsWith('-'))
  const kind = Object.hasOwn(OBJECTS_OF, verb) ? OBJECTS_OF[verb] : undefined
  if (kind) return plain.length ? undefined : names(kind)
  if (!isVerb(verb)) return undefined
  const [first] = plain
  if (first === undefined) return found((await ask(`${ASKS_NAMES}${ASKS_NAMES}`)).map(([name = '']) => name))
  return names(first)
}
