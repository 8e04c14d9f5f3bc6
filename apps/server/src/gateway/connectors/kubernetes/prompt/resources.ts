import type { Cluster } from '../cluster.ts'
import { CommandError } from './command-line.ts'

/** A kind of object that a cluster has. */
export interface Resource {
  /** In the plural. */
  name: string
  singular: string
  short: readonly string[]
  kind: string
  group: string
  isNamespaced: boolean
  /** Path of its group in the API. */
  root: string
}

/** Limit of one question, in milliseconds. */
const ASK_MS = 5_000
const AT_ONCE = 8
const MAX_GROUPS = 300
/** Kinds of `get all` (https://kubernetes.io/docs/reference/kubectl/generated/kubectl_get). */
const ALL = ['pods', 'services', 'daemonsets', 'deployments', 'replicasets', 'statefulsets', 'jobs', 'cronjobs']

interface WireList {
  resources?: { name?: string; singularName?: string; shortNames?: string[]; kind?: string; namespaced?: boolean }[]
}

/** Kinds of objects in a cluster, as it lists them itself. */
export class Resources {
  readonly all: readonly Resource[]

  constructor(all: readonly Resource[]) {
    this.all = all
  }

  /** Throws SessionRefusal and SshError where not even the core can be read. */
  static async of(cluster: Cluster, signal: AbortSignal): Promise<Resources> {
    const ask = (path: string) =>
      cluster.ask(path, { signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]) }) as Promise<WireList>
    const found = listed(await ask('/api/v1'), '/api/v1', '')
    const known = (await ask('/apis').catch(() => ({}))) as {
      groups?: { name?: string; preferredVersion?: { groupVersion?: string } }[]
    }
    const versions = (known.groups ?? [])
      .flatMap(({ preferredVersion }) => preferredVersion?.groupVersion ?? [])
      .filter((one) => /^[a-z0-9.-]+\/[a-z0-9]+$/.test(one))
      .slice(0, MAX_GROUPS)
    for (let at = 0; at < versions.length; at += AT_ONCE) {
      // A group whose own server is away is left out.
      const lists = await Promise.all(
        versions.slice(at, at + AT_ONCE).map((version) =>
          ask(`/apis/${version}`).then(
            (list) => listed(list, `/apis/${version}`, version.split('/')[0] ?? ''),
            () => [],
          ),
        ),
      )
      found.push(...lists.flat())
    }
    return new Resources(found)
  }

  /** By name, short name, kind or `name.group`. */
  find(word: string): Resource | undefined {
    const wanted = word.toLowerCase()
    return this.all.find(
      ({ name, singular, short, kind, group }) =>
        [name, singular, kind.toLowerCase(), `${name}.${group}`].includes(wanted) || short.includes(wanted),
    )
  }

  /** Several, with commas between them. Throws CommandError. */
  named(words: string): Resource[] {
    if (words === 'all') return ALL.flatMap((one) => this.find(one) ?? [])
    return words.split(',').map((word) => {
      const resource = this.find(word)
      if (!resource) throw new CommandError(`the server doesn't have a resource type "${word}"`)
      return resource
    })
  }
}

function listed({ resources = [] }: WireList, root: string, group: string): Resource[] {
  return resources
    .filter(({ name }) => name && !name.includes('/'))
    .map(({ name = '', singularName = '', shortNames = [], kind = '', namespaced = false }) => ({
      name,
      singular: singularName || kind.toLowerCase(),
      short: shortNames,
      kind,
      group,
      isNamespaced: namespaced,
      root,
    }))
}
