import { isJson, type Json, textAt } from './answers.ts'
import { type CloudInstance, checkedRegion, type OpenCloud, textOf } from './cloud.ts'
import { CloudError, refusalOf } from './cloud-error.ts'
import type { CloudAnswer } from './transport.ts'

/** Machines asked for their addresses at a time. */
const AT_ONCE = 6
/** Machines of one page. */
const PAGE = 60

/**
 * vCenter Server 7 and later (vSphere Automation API: session, datacenter, host, vm, guest identity).
 * A list holds 4,000 machines at most and has no pages, so machines are listed host by host; their
 * addresses are what VMware Tools say.
 */
export const openVmware: OpenCloud = (attrs, transport) => {
  const base = `https://${textOf(attrs, 'host')}:${textOf(attrs, 'port') || 443}/api`
  const login = Buffer.from(`${textOf(attrs, 'username')}:${textOf(attrs, 'password')}`).toString('base64')
  const signIn = () =>
    transport.ask(
      () => ({ method: 'POST', url: `${base}/session`, headers: { authorization: `Basic ${login}` } }),
      (answer) => {
        if (answer.status >= 300) throw refusalOf(answer.status, codeOf(answer))
        const token = parsed(answer)
        if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) throw new CloudError('unreadable', 'no session')
        return token
      },
    )
  const list = (session: string, path: string) =>
    transport.ask(
      () => ({ method: 'GET', url: `${base}/vcenter/${path}`, headers: { 'vmware-api-session-id': session } }),
      (answer) => {
        if (answer.status !== 200) throw refusalOf(answer.status, codeOf(answer))
        const value = parsed(answer)
        if (!Array.isArray(value)) throw new CloudError('unreadable', 'no list')
        return value.filter(isJson)
      },
    )
  /** The report of its tools; nothing while they are not running, which is answered as 503. */
  const identity = (session: string, vm: string): Promise<Json> =>
    transport.ask(
      () => ({
        method: 'GET',
        url: `${base}/vcenter/vm/${encodeURIComponent(vm)}/guest/identity`,
        headers: { 'vmware-api-session-id': session },
      }),
      (answer) => {
        if (answer.status === 503 || answer.status === 404) return {}
        if (answer.status !== 200) throw refusalOf(answer.status, codeOf(answer))
        const value = parsed(answer)
        return isJson(value) ? value : {}
      },
    )
  const inSession = async function* <T>(work: (session: string) => AsyncGenerator<T>): AsyncGenerator<T> {
    const session = await signIn()
    try {
      yield* work(session)
    } finally {
      const headers = { 'vmware-api-session-id': session }
      // One that stays ends by itself.
      await transport
        .ask(
          () => ({ method: 'DELETE', url: `${base}/session`, headers }),
          () => undefined,
        )
        .catch(() => {})
    }
  }
  return {
    async regions() {
      const all = await Array.fromAsync(
        inSession(async function* (session) {
          yield await list(session, 'datacenter')
        }),
      )
      return all.flat().map((one) => ({ id: textAt(one, 'datacenter'), name: textAt(one, 'name') }))
    },
    instances: (region) =>
      inSession(async function* (session) {
        for (const host of await list(session, `host?datacenters=${checkedRegion(region)}`)) {
          const machines = await list(session, `vm?hosts=${encodeURIComponent(textAt(host, 'host'))}`)
          for (let first = 0; first < machines.length; first += PAGE) {
            const page = machines.slice(first, first + PAGE)
            const queue = page.entries()
            const found: CloudInstance[] = []
            const worker = async () => {
              for (const [at, one] of queue) {
                const isOn = textAt(one, 'power_state') === 'POWERED_ON'
                found[at] = instanceOf(one, isOn ? await identity(session, textAt(one, 'vm')) : {})
              }
            }
            await Promise.all(Array.from({ length: AT_ONCE }, worker))
            yield found
          }
        }
      }),
  }
}

function parsed({ text }: CloudAnswer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CloudError('unreadable', 'not JSON')
  }
}

function codeOf({ text }: CloudAnswer): string {
  try {
    return textAt(JSON.parse(text), 'error_type')
  } catch {
    return ''
  }
}

const instanceOf = (one: Json, guest: Json): CloudInstance => ({
  id: textAt(one, 'vm'),
  name: textAt(one, 'name'),
  addresses: [textAt(guest, 'ip_address')],
  publicAddress: '',
  isWindows: textAt(guest, 'family') === 'WINDOWS',
})
