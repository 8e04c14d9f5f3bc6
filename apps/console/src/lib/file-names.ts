/** Names of devices, which no file of Windows may have, whatever follows a dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/**
 * A part of a file's name that every system takes: without what folders or shells would read, hidden by
 * no dot, and of at most so many letters, which in any language fit what a name of a file may hold.
 */
export function fileStem(name: string, letters = 60): string {
  const plain = name.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
  const stem = [...plain.replace(/^[.-]+/, '')]
    .slice(0, letters)
    .join('')
    .replace(/[.-]+$/, '')
  return stem.replace(DEVICE, '_$&') || 'file'
}

/** The name of a file for clients of RDP. */
export const rdpFileName = (name: string): string => `${fileStem(name)}.rdp`
