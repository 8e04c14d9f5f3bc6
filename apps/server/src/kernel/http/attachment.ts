/**
 * Content-Disposition of a download, with any characters in its file name (RFC 6266, RFC 8187
 * §3.2.1).
 */
export function attachment(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, percentEncoded)
  return `attachment; filename*=UTF-8''${encoded}`
}

const percentEncoded = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
