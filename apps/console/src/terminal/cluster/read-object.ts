/** Reads what is in an object of a cluster, of which nothing is certain. */

import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

export type ClusterObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is ClusterObject => typeof value === 'object' && value !== null

/** The value at a path of names, such as `spec.nodeName`. */
export const at = (object: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), object)

export const listAt = (object: unknown, path: string): readonly unknown[] => {
  const value = at(object, path)
  return Array.isArray(value) ? value : []
}

export const textAt = (object: unknown, path: string): string => {
  const value = at(object, path)
  return value === undefined || value === null || isObject(value) ? '' : String(value)
}

export const pairsAt = (object: unknown, path: string): [string, string][] => {
  const value = at(object, path)
  return isObject(value)
    ? Object.entries(value).map(([key, one]) => [key, isObject(one) ? JSON.stringify(one) : String(one)])
    : []
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** A value as people read it, in one or several words; none for nothing. */
export function wordsOf(value: unknown): string[] {
  if (value === undefined || value === null || value === '') return []
  if (Array.isArray(value)) return value.flatMap(wordsOf)
  if (isObject(value)) return pairsAt({ value }, 'value').map(([key, one]) => `${key}=${one}`)
  if (typeof value === 'boolean') return [value ? t('Yes') : t('No')]
  return [typeof value === 'string' && MOMENT.test(value) ? formatDate(value) : String(value)]
}
