import { portableName } from '../files/portable-name.ts'

/**
 * Content-Disposition of a download, with any characters in its file name that are no path or order
 * elsewhere (RFC 6266 §4.3, RFC 8187 §3.2.1).
 */
export function attachment(name: string): string {
  const encoded = encodeURIComponent(portableName(name)).replaceAll(/['()*]/g, percentEncoded)
  return `attachment; filename*=UTF-8''${encoded}`
}

const percentEncoded = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
