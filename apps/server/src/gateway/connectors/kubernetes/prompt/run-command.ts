import { isClusterName, isPathName } from '@sallyport/contract/socket/cluster-names.ts'
import { CommandError, type CommandLine, readCommandLine } from './command-line.ts'
import type { CommandRun } from './command-run.ts'
import { describe } from './describe-object.ts'
import { AS_TABLE, ObjectTable, type WireTable } from './object-table.ts'
import { followLog, runProgram } from './pod-streams.ts'
import type { Resource, Resources } from './resources.ts'
import { yamlLines } from './yaml-text.ts'

/** Limit of one question, in milliseconds. */
const ASK_MS = 30_000
/** Rows, and whole objects, of one question: so nobody else waits for what is read. */
const PAGE = 500
const PAGE_OF_OBJECTS = 50
const OUTPUTS = ['wide', 'yaml', 'json', 'name']

/** Runs a line; answers how many objects it showed. Throws CommandError, and what the cluster's questions throw. */
export async function runCommand(text: string, run: CommandRun): Promise<number | undefined> {
  const line = readCommandLine(text)
  switch (line.verb) {
    case 'get':
      return get(line, run)
    case 'describe':
      return describeAll(line, run)
    case 'events':
      return events(line, run)
    case 'logs':
      await followLog(podOf(line, run), line.flags, run)
      return undefined
    case 'exec':
      await exec(line, run)
      return undefined
    case 'delete':
      return deleteAll(line, run)
    case 'api-resources':
      return kinds(run)
    case 'version': {
      const { gitVersion } = (await ask(run, '/version')) as { gitVersion?: unknown }
      await run.show([`Server Version: ${String(gitVersion)}`])
      return undefined
    }
    default:
      return line.verb satisfies never
  }
}

/** One kind of objects, and which of them; all where no name is given. */
export interface Wanted {
  resource: Resource
  names: string[]
}

/** `pods`, `pods web-1 web-2`, `pods,services`, `pod/web-1 service/web`. Throws CommandError. */
export function wantedOf({ parameters }: CommandLine, resources: Resources): Wanted[] {
  const [first, ...names] = parameters
  if (!first) throw new CommandError('say which kind of objects, such as pods: api-resources lists them')
  if (!first.includes('/'))
    return resources.named(first).map((resource) => ({ resource, names: names.map(checkedName) }))
  return parameters.map((parameter) => {
    const [kind = '', name = ''] = parameter.split('/')
    const [resource] = resources.named(kind)
    if (!resource || !name) throw new CommandError(`"${parameter}" is not kind/name`)
    return { resource, names: [checkedName(name)] }
  })
}

function checkedName(name: string): string {
  if (isPathName(name)) return name
  throw new CommandError(`"${name}" is not a name`)
}

/** Throws CommandError. */
export function namespaceOf({ flags }: CommandLine, namespace: string): string {
  const given = flags.get('namespace') ?? namespace
  if (isClusterName(given)) return given
  throw new CommandError(`"${given}" is not the name of a namespace`)
}

const ask = (run: CommandRun, path: string, options: { method?: 'GET' | 'DELETE'; accept?: string } = {}) =>
  run.cluster.ask(path, { ...options, signal: AbortSignal.any([run.signal, AbortSignal.timeout(ASK_MS)]) })

/** Path of the objects of a kind. */
const pathOf = ({ root, name, isNamespaced }: Resource, namespace: string | undefined): string =>
  `${root}${isNamespaced && namespace ? `/namespaces/${namespace}` : ''}/${name}`

interface Listing {
  accept?: string
  page: number
  namespace: string | undefined
}

type WireObject = Record<string, unknown> & { kind?: string; metadata?: { name?: string; managedFields?: unknown } }
/** Answer of a server: an object, a list of some, or a table of them. */
type Page = WireTable & WireObject & { items?: WireObject[] }

/** Pages of a list, or each named object. */
async function* listed(
  { resource, names }: Wanted,
  line: CommandLine,
  run: CommandRun,
  { accept, page, namespace }: Listing,
): AsyncGenerator<Page> {
  const options = accept ? { accept } : {}
  if (names.length) {
    if (!namespace && resource.isNamespaced)
      throw new CommandError('a resource cannot be retrieved by name across all namespaces')
    for (const name of names) yield (await ask(run, `${pathOf(resource, namespace)}/${name}`, options)) as Page
    return
  }
  let next = ''
  do {
    const query = new URLSearchParams({ limit: String(page) })
    if (next) query.set('continue', next)
    if (line.flags.has('selector')) query.set('labelSelector', line.flags.get('selector') as string)
    if (line.flags.has('field-selector')) query.set('fieldSelector', line.flags.get('field-selector') as string)
    const answer = (await ask(run, `${pathOf(resource, namespace)}?${query}`, options)) as Page
    yield answer
    next = answer.metadata?.continue ?? ''
  } while (next)
}

async function get(line: CommandLine, run: CommandRun): Promise<number> {
  const output = line.flags.get('output')
  if (output !== undefined && !OUTPUTS.includes(output))
    throw new CommandError(`output "${output}" is not supported: one of ${OUTPUTS.join(', ')}`)
  const all = wantedOf(line, run.resources)
  const namespace = line.flags.has('all-namespaces') ? undefined : namespaceOf(line, run.namespace)
  let count = 0
  for (const wanted of all) {
    const found =
      output === undefined || output === 'wide'
        ? await showTable(wanted, line, run, { namespace, isWide: output === 'wide', isFirst: count === 0 })
        : await showObjects(wanted, line, run, { namespace, output, before: count })
    count += found
  }
  if (!count) await run.show([namespace ? `No resources found in ${namespace} namespace.` : 'No resources found'])
  return count
}

async function showTable(
  wanted: Wanted,
  line: CommandLine,
  run: CommandRun,
  { namespace, isWide, isFirst }: { namespace: string | undefined; isWide: boolean; isFirst: boolean },
): Promise<number> {
  const table = new ObjectTable({
    isWide,
    showsNamespace: !namespace && wanted.resource.isNamespaced,
    hasTitles: !line.flags.has('no-headers'),
  })
  let count = 0
  for await (const page of listed(wanted, line, run, { accept: AS_TABLE, page: PAGE, namespace })) {
    if (!page.rows?.length) continue
    await run.show([...(count || isFirst ? [] : ['']), ...table.lines(page)])
    count += page.rows.length
  }
  return count
}

async function showObjects(
  wanted: Wanted,
  line: CommandLine,
  run: CommandRun,
  { namespace, output, before }: { namespace: string | undefined; output: string; before: number },
): Promise<number> {
  const { resource } = wanted
  let count = before
  for await (const page of listed(wanted, line, run, {
    page: PAGE_OF_OBJECTS,
    namespace,
  })) {
    for (const object of wanted.names.length ? [page] : (page.items ?? [])) {
      const whole = wholeObject(object, resource)
      const text =
        output === 'name'
          ? [`${resource.singular}${resource.group && `.${resource.group}`}/${String(object.metadata?.name)}`]
          : output === 'yaml'
            ? [...(count ? ['---'] : []), ...yamlLines(whole)]
            : JSON.stringify(whole, null, 4).split('\n')
      count++
      await run.show(text)
    }
  }
  return count - before
}

/** As `kubectl` shows it: items of lists have no kind, and who manages which field is left out. */
export function wholeObject(object: WireObject, { kind, root }: Resource): WireObject {
  const { managedFields: _, ...metadata } = object.metadata ?? {}
  return { apiVersion: root.replace(/^\/apis?\//, ''), kind, ...object, metadata }
}

async function describeAll(line: CommandLine, run: CommandRun): Promise<number> {
  const namespace = line.flags.has('all-namespaces') ? undefined : namespaceOf(line, run.namespace)
  let count = 0
  for (const wanted of wantedOf(line, run.resources))
    for await (const page of listed(wanted, line, run, {
      page: PAGE_OF_OBJECTS,
      namespace,
    }))
      for (const object of wanted.names.length ? [page] : (page.items ?? [])) {
        const lines = await describe(wholeObject(object, wanted.resource), (path) =>
          ask(run, path, { accept: AS_TABLE }),
        )
        await run.show([...(count++ ? ['', ''] : []), ...lines])
      }
  if (!count) await run.show([namespace ? `No resources found in ${namespace} namespace.` : 'No resources found'])
  return count
}

/** The events of a namespace or, with `--for pod/web-1`, of one object. */
async function events(line: CommandLine, run: CommandRun): Promise<number> {
  const about = line.flags.get('for')
  const [kind = '', name = ''] = about?.split('/') ?? []
  const [resource] = about === undefined ? [] : run.resources.named(kind)
  const selector = resource
    ? `involvedObject.kind=${resource.kind},involvedObject.name=${checkedName(name)}`
    : undefined
  return get(
    {
      ...line,
      parameters: ['events'],
      flags: new Map([...line.flags, ...(selector ? ([['field-selector', selector]] as const) : [])]),
    },
    run,
  )
}

/** The pod that a line names, as `web-1` or `pod/web-1`. Throws CommandError. */
function podOf(line: CommandLine, run: CommandRun): { namespace: string; pod: string; container: string } {
  const given = (line.parameters[0] ?? '').replace(/^pods?\//, '')
  if (!given || line.parameters.length > 1) throw new CommandError(`${line.verb}: name one pod`)
  const container = line.flags.get('container') ?? ''
  if (container && !isClusterName(container)) throw new CommandError(`"${container}" is not the name of a container`)
  return { namespace: namespaceOf(line, run.namespace), pod: checkedName(given), container }
}

async function exec(line: CommandLine, run: CommandRun): Promise<void> {
  const place = podOf(line, run)
  if (line.flags.has('stdin') || line.flags.has('tty'))
    throw new CommandError('a program with input of its own is opened from the tree of the web terminal, or by kubectl')
  if (!line.program.length) throw new CommandError('exec: say what to run behind --, such as: exec web-1 -- ls /')
  await runProgram({ ...place, argv: line.program }, run)
}

async function deleteAll(line: CommandLine, run: CommandRun): Promise<number> {
  const namespace = namespaceOf(line, run.namespace)
  let count = 0
  for (const { resource, names } of wantedOf(line, run.resources)) {
    if (!names.length) throw new CommandError('delete: name the objects')
    for (const name of names) {
      await ask(run, `${pathOf(resource, namespace)}/${name}`, { method: 'DELETE' })
      count++
      await run.show([`${resource.singular}${resource.group && `.${resource.group}`} "${name}" deleted`])
    }
  }
  return count
}

async function kinds({ resources, show }: CommandRun): Promise<number> {
  const cells = resources.all.map(({ name, short, root, isNamespaced, kind }) => ({
    cells: [name, short.join(','), root.replace(/^\/apis?\//, ''), isNamespaced, kind],
  }))
  const columnDefinitions = ['Name', 'Shortnames', 'APIVersion', 'Namespaced', 'Kind'].map((name) => ({ name }))
  await show(new ObjectTable().lines({ columnDefinitions, rows: cells }))
  return cells.length
}
