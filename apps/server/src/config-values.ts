/** Readers for values of settings: each answers undefined for a text of another shape. */
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { bareHost } from './kernel/bare-host.ts'
import { cronFault } from './kernel/jobs/cron.ts'

export const text = (value: string) => value
export const atLeast = (length: number) => (value: string) => (value.length >= length ? value : undefined)

export function trueOrFalse(value: string): boolean | undefined {
  return value === 'true' || value === 'false' ? value === 'true' : undefined
}

/** An address or a host name. */
export function host(value: string): string | undefined {
  const bare = bareHost(value)
  return /^[\w.:-]+$/.test(bare) ? bare : undefined
}

export function port(value: string): number | undefined {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined
}

/** An integer above 0. */
export function count(value: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined
}

/** Seconds up to an hour. */
export function seconds(value: string): number | undefined {
  return /^\d{1,4}$/.test(value) && Number(value) <= 3600 ? Number(value) : undefined
}

/** Bytes, written as an integer above 0 with or without K, M, G or T. */
export function size(value: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,15})([KMGT]?)$/i.exec(value) ?? []
  const bytes = Number(digits) * 1024 ** ['', 'K', 'M', 'G', 'T'].indexOf(unit.toUpperCase())
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined
}

/** A list with commas, without its empty parts; undefined when a part is not accepted. */
export function list(value: string, accepts: (part: string) => boolean): string[] | undefined {
  const parts = value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  return parts.every(accepts) ? [...new Set(parts)] : undefined
}

export function isNetwork(value: string): boolean {
  const [address = '', bits, ...more] = value.split('/')
  const version = isIP(address)
  return (
    version > 0 &&
    more.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)))
  )
}

export function databaseUrl(value: string): string | undefined {
  return /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '') ? value : undefined
}

/** A bucket and a folder in it, written as s3://bucket/folder. */
export function bucketAddress(value: string): { bucket: string; prefix: string } | undefined {
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.-]+(?:\/[\w.-]+)*)?\/?)?$/.exec(value) ?? []
  return bucket && !prefix.split('/').some((part) => part === '.' || part === '..') ? { bucket, prefix } : undefined
}

/** Scheme, host and port. */
export function webAddress(value: string): string | undefined {
  const url = URL.parse(value)
  return url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.username
    ? url.origin
    : undefined
}

/** A folder, or a bucket as above. */
export function backupPlace(value: string): string | undefined {
  return value.startsWith('s3:') && !bucketAddress(value) ? undefined : value
}

/** Five parts, as `crontab` has them. */
export function cronExpression(value: string): string | undefined {
  return cronFault(value) ? undefined : value
}

/** Names of hosts with commas, as certificates have them: no addresses, no wildcards (RFC 1123 §2.1). */
export function hostNames(value: string): string[] | undefined {
  const names = list(value, () => true)?.map((name) => domainToASCII(name))
  return names?.every(isHostName) ? [...new Set(names)] : undefined
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

function isHostName(name: string): boolean {
  const labels = name.split('.')
  return name.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^\d*$/.test(labels.at(-1) ?? '')
}

export function mailAddress(value: string): string | undefined {
  return /^[^\s@,;<>"]+@[^\s@,;<>"]+$/.test(value) ? value : undefined
}

/** An address with its path, by HTTPS alone. */
export function directoryAddress(value: string): string | undefined {
  const url = URL.parse(value)
  return url?.protocol === 'https:' && !url.username ? url.href : undefined
}
