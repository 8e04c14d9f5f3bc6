import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import ipaddr from 'ipaddr.js'
import { type CityResponse, Reader } from 'mmdb-lib'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'

export const LAN = 'LAN'
export const UNKNOWN_CITY = 'Unknown'

const LOCAL_RANGES = new Set(['private', 'loopback', 'linkLocal', 'uniqueLocal', 'carrierGradeNat', 'unspecified'])
/** How often the file is checked: operators replace it every month or so. */
const LOOK_MS = 60_000

/** One for the process: logs are written from everywhere, and there is one file. */
let places: Reader<CityResponse> | undefined

/**
 * Reads the file of CITY_DATABASE_FILE (MaxMind DB, such as GeoLite2 City or DB-IP City Lite), and
 * again when it changes. None is shipped: those whose license would allow it are too large or out
 * of date. Without one, addresses outside private networks stay `Unknown`.
 */
export function openCityDatabase(kernel: Kernel): void {
  const path = settingsOf(kernel).get('CITY_DATABASE_FILE')
  if (!path) return
  const load = () => {
    try {
      places = new Reader<CityResponse>(readFileSync(path))
    } catch (error) {
      kernel.app.log.warn({ err: error, path }, 'the file with the cities of addresses cannot be read')
    }
  }
  load()
  watchFile(path, { interval: LOOK_MS, persistent: false }, load)
  kernel.app.addHook('onClose', async () => {
    unwatchFile(path, load)
    places = undefined
  })
}

/**
 * The place of an address: `LAN` in private networks, `Unknown` when the file of cities lacks it,
 * else city and country in that language.
 */
export function cityOf(ip: string, language: Language = 'en'): string {
  if (!ipaddr.isValid(ip)) return UNKNOWN_CITY
  const address = ipaddr.process(ip)
  if (LOCAL_RANGES.has(address.range())) return LAN
  const found = places?.get(address.toString())
  const name = (names: Readonly<Record<string, string>> | undefined) =>
    (language === 'cn' && names?.['zh-CN']) || names?.en
  const [city, country] = [
    name(found?.city?.names as never),
    name((found?.country ?? found?.registered_country)?.names as never),
  ]
  if (!city) return country ?? UNKNOWN_CITY
  return language === 'cn' ? [country, city].filter(Boolean).join(' ') : [city, country].filter(Boolean).join(', ')
}

/** A city stored with its address, in the language of a reader. */
export function cityFor(ip: string, stored: string, language: Language): string {
  if (stored === LAN) return stored
  if (stored === UNKNOWN_CITY) return translate(language, stored)
  const known = cityOf(ip, language)
  return known === UNKNOWN_CITY ? stored : known
}
