import type { ApiRequest } from '../../kinds/requests/streams.ts'
import { notice } from '../../session/notice.ts'

/** A request to the API of a cluster, as its path and method say it (docs/kubernetes.md). */
export interface ClusterRequest extends ApiRequest {
  /** As Kubernetes has it, or the subresource where that says what is done. */
  verb: string
  /** For the server: without what may be read in two ways. */
  path: string
  query: URLSearchParams
  /** A program in a container that is run, or attached to. */
  program: { namespace: string; pod: string; isAttach: boolean } | undefined
}

/** It does not speak as clients of Kubernetes do. */
export class BadRequest extends Error {}

const MAX_URL = 32 * 1024
const VERBS: Readonly<Record<string, readonly [one: string, all: string]>> = {
  GET: ['get', 'list'],
  HEAD: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
}
/** Subresources that say what is done, whatever the method: one is asked for by GET or POST. */
const DEEDS = new Set(['exec', 'attach', 'portforward', 'proxy'])
/** Paths that lead past Sallyport, or to anything that a container can reach. */
const FORBIDDEN = notice(
  'denied',
  'Port forwarding and proxies to pods, services and nodes are not permitted through Sallyport',
  {},
  'urgent',
)

/**
 * Reads what a client asks for. Throws BadRequest for what two readers of it could understand in
 * two ways.
 */
export function readRequest(method: string | undefined, url: string | undefined): ClusterRequest {
  const verbs = VERBS[method ?? '']
  if (!verbs) throw new BadRequest(`The method ${String(method).slice(0, 16)} is not supported`)
  if (!url?.startsWith('/') || url.length > MAX_URL) throw new BadRequest('The address of the request is malformed')
  const [rawPath = '', ...rest] = url.split('?')
  const query = new URLSearchParams(rest.join('?'))
  const segments = segmentsOf(rawPath)
  const path = `/${segments.map((one) => encodeURIComponent(one).replace(/%3A/gi, ':')).join('/')}`
  const about = resourceOf(segments)
  if (!about)
    return { verb: verbs[0], text: `${verbs[0]} ${path}`, readings: [], namespace: '', path, query, program: undefined }
  const { resource, group, namespace, name, subresource, subpath } = about
  const isWatch = method === 'GET' && !name && !/^(?:0|false)$/i.test(query.get('watch') ?? '0')
  const isDeed = DEEDS.has(subresource)
  const verb = isDeed ? subresource : isWatch ? 'watch' : name ? verbs[0] : verbs[1]
  const kind = `${resource}${group && `.${group}`}`
  const words = [
    verb,
    isDeed || !subresource ? kind : `${kind}/${subresource}`,
    name,
    subpath,
    namespace && resource !== 'namespaces' ? `-n ${namespace}` : '',
    isDeed && query.has('container') ? `-c ${query.get('container')}` : '',
    ...['labelSelector', 'fieldSelector'].map((field) => (query.get(field) ? `${field}=${query.get(field)}` : '')),
    query.getAll('dryRun').length ? 'dryRun' : '',
  ]
  const isProgram = resource === 'pods' && !group && (subresource === 'exec' || subresource === 'attach') && name
  const text = words.filter(Boolean).join(' ')
  return {
    verb,
    text,
    // An account that may not delete one may not delete all of them.
    readings: verb === 'deletecollection' ? [text.replace(verb, 'delete')] : [],
    namespace,
    path,
    query,
    forbidden: isDeed && !isProgram ? FORBIDDEN : undefined,
    program: isProgram ? { namespace, pod: name, isAttach: subresource === 'attach' } : undefined,
  }
}

/** Decoded; a trailing slash is nothing. */
function segmentsOf(path: string): string[] {
  const parts = path.slice(1).split('/')
  if (parts.at(-1) === '') parts.pop()
  return parts.map((part) => {
    let text: string
    try {
      text = decodeURIComponent(part)
    } catch {
      throw new BadRequest('The address of the request is malformed')
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    if (!text || text === '.' || text === '..' || /[/\\?#%;\x00-\x20\x7f-\uffff]/.test(text))
      throw new BadRequest('The address of the request is malformed')
    return text
  })
}

interface About {
  group: string
  resource: string
  namespace: string
  name: string
  subresource: string
  /** Behind the subresource, as proxies have it. */
  subpath: string
}

/** Undefined for what is about no resource, such as `/version` and the lists of what there is. */
function resourceOf([root, ...segments]: readonly string[]): About | undefined {
  const rest = [...segments]
  const group = root === 'apis' ? rest.shift() : root === 'api' ? '' : undefined
  if (group === undefined || rest.shift() === undefined || !rest.length) return undefined
  // The watch of old: `/api/v1/watch/…`, which is asked for by a parameter today.
  if (rest[0] === 'watch') throw new BadRequest('Ask for a watch by the parameter watch=true')
  if (rest[0] === 'proxy') return { group, resource: 'any', namespace: '', name: '', subresource: 'proxy', subpath: '' }
  // `namespaces/x/status` and `namespaces/x/finalize` are about the namespace itself.
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2] ?? '')
  const namespace = rest[0] === 'namespaces' ? (rest[1] ?? '') : ''
  const [resource = '', name = '', subresource = '', ...subpath] = isInNamespace ? rest.slice(2) : rest
  return { group, resource, namespace, name, subresource, subpath: subpath.join('/') }
}
