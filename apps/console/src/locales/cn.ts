/**
 * The Chinese of the shell and of what all pages share, fetched only for people who read Chinese.
 * Domains, web terminal and sign-in page have their own.
 */
import type { Catalog } from '../lib/i18n.ts'

const areas = import.meta.glob<Catalog>(['./cn/*.json', '!./cn/{terminal,files,login}.json'], {
  eager: true,
  import: 'default',
})

export const catalog: Catalog = Object.assign({}, ...Object.values(areas))
