import { t } from '../../lib/i18n.ts'

/** Protocols a form offers when the metadata names none, with their usual ports. */
export const PROTOCOL_PORTS: Readonly<Record<string, number>> = { ssh: 22, rdp: 3389, telnet: 23, vnc: 5901 }

/** The fault of a list of protocols, if any (A5.07). */
export function protocolsFault(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return t('This field is required')
  const bad = value.some(
    (entry) =>
      !/^[a-z0-9-]+\/\d+$/.test(String(entry)) ||
      Number(String(entry).split('/')[1]) < 1 ||
      Number(String(entry).split('/')[1]) > 65_535,
  )
  return bad ? t('Port Error, please check') : undefined
}
