import { quotedWord } from '../../../protocols/kubernetes/quoted-word.ts'
import { type CommandLine, readCommandLine } from './command-line.ts'
import type { Resources } from './resources.ts'
import { namespaceOf, wantedOf } from './run-command.ts'

/** Verbs that ask for something else than they say. */
const ASKS: Readonly<Record<string, string>> = { describe: 'get', logs: 'get', events: 'list' }

/**
 * Requests of a line to the cluster, as clients of the port are judged (`delete pods web-1 -n
 * shop`), and its commands in a container. None for a line that will not be run.
 */
export function judgedTexts(text: string, resources: Resources, namespace: string): string[] {
  try {
    const line = readCommandLine(text)
    const within = line.flags.has('all-namespaces') ? '' : ` -n ${namespaceOf(line, namespace)}`
    const words = (...all: string[]) => all.filter(Boolean).join(' ')
    if (line.verb === 'exec' || line.verb === 'logs') {
      const pod = (line.parameters[0] ?? '').replace(/^pods?\//, '')
      const container = line.flags.has('container') ? ` -c ${line.flags.get('container')}` : ''
      if (line.verb === 'logs') return [`${words('get', 'pods/log', pod)}${within}${container}`]
      return [`${words('exec', 'pods', pod)}${within}${container}`, line.program.map(quotedWord).join(' ')]
    }
    if (line.verb === 'api-resources' || line.verb === 'version') return []
    return wantedIn(line, resources).flatMap(({ kind, names }) => {
      const verb = ASKS[line.verb] ?? line.verb
      if (!names.length) return [`${words(verb === 'get' ? 'list' : verb, kind)}${within}`]
      return names.map((name) => `${words(verb, kind, name)}${within}`)
    })
  } catch {
    return []
  }
}

function wantedIn(line: CommandLine, resources: Resources) {
  if (line.verb === 'events') return [{ kind: 'events', names: [] as string[] }]
  return wantedOf(line, resources).map(({ resource: { name, group }, names }) => ({
    kind: `${name}${group && `.${group}`}`,
    names,
  }))
}
