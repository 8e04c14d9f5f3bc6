/**
 * Content-Disposition of an answer that is saved as a file, whatever characters its name has (RFC
 * 6266, RFC 8187 §3.2.1).
 */
export function attachment(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, percentEncoded)
  return `attachment; filename*=UTF-8''${encoded}`
}

const percentEncoded = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
