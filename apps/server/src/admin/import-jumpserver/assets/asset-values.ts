import type { SourceRow } from '../source/source.ts'
import { int, jsonObject, text, textOrNull } from '../values.ts'

/** Protocols of machines, in the order that counts where none is named first. */
const OF_MACHINES = ['ssh', 'rdp', 'telnet', 'vnc']

export interface Protocol {
  name: string
  port: number
}

/** `ssh/22 rdp/3389`, as version 2 stores it; the older pair of columns where that is empty. */
export function protocolsOf2({ protocols, protocol, port }: SourceRow): Protocol[] {
  const listed = text(protocols)
    .split(/[\s,]+/)
    .filter(Boolean)
  const all = listed.length ? listed : [`${protocol ?? ''}/${port ?? ''}`]
  return all.map((one) => {
    const [name = '', number = ''] = one.toLowerCase().split('/')
    return { name, port: Number(number) }
  })
}

/** Those that assets have here, as `ssh/22`: each once, with a port that there can be. */
export function machineProtocols(protocols: readonly Protocol[]): string[] {
  const usable = protocols.filter(
    ({ name, port }) => OF_MACHINES.includes(name) && Number.isInteger(port) && port >= 1 && port <= 65_535,
  )
  return usable
    .filter(({ name }, at) => usable.findIndex((other) => other.name === name) === at)
    .map(({ name, port }) => `${name}/${port}`)
}

const numberOrNull = (value: unknown) =>
  value === null || value === undefined || value === '' ? null : int(String(value), 0, 1_000_000, 0)

/** Facts about the machine itself in version 2. */
export function hardwareOf2(row: SourceRow) {
  return {
    ...{ public_ip: textOrNull(row.public_ip, 128), number: textOrNull(row.number, 32) },
    ...{ vendor: textOrNull(row.vendor, 64), model: textOrNull(row.model, 54), sn: textOrNull(row.sn, 128) },
    ...{ cpu_model: textOrNull(row.cpu_model, 64), cpu_count: numberOrNull(row.cpu_count) },
    ...{ cpu_cores: numberOrNull(row.cpu_cores), cpu_vcpus: numberOrNull(row.cpu_vcpus) },
    ...{ memory: textOrNull(row.memory, 64), disk_total: textOrNull(row.disk_total, 1024) },
    ...{ disk_info: textOrNull(row.disk_info, 1024), os: textOrNull(row.os, 128) },
    ...{ os_version: textOrNull(row.os_version, 16), os_arch: textOrNull(row.os_arch, 16) },
    hostname_raw: textOrNull(row.hostname_raw, 128),
  }
}

/** The same since version 3: facts in JSON. */
export function hardwareOf3(row: SourceRow) {
  const facts = jsonObject(row.gathered_info)
  const of = (name: string, most: number) => {
    const value = facts[name]
    return typeof value === 'string' || typeof value === 'number' ? textOrNull(String(value), most) : null
  }
  return {
    ...{ public_ip: null, number: null, hostname_raw: null, disk_info: null },
    ...{ vendor: of('vendor', 64), model: of('model', 54), sn: of('sn', 128), cpu_model: of('cpu_model', 64) },
    ...{ cpu_count: numberOrNull(of('cpu_count', 9)), cpu_cores: numberOrNull(of('cpu_cores', 9)) },
    ...{ cpu_vcpus: numberOrNull(of('cpu_vcpus', 9)), memory: of('memory', 64), disk_total: of('disk_total', 1024) },
    ...{ os: of('distribution', 128), os_version: of('distribution_version', 16), os_arch: of('arch', 16) },
  }
}

export const connectivityOf = (value: string | null | undefined): string =>
  value === 'ok' ? 'ok' : /^(?:failed|err|.*_err)$/.test(value ?? '') ? 'failed' : 'unknown'
