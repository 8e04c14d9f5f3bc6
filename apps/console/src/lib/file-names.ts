/** Without what folders or shells would read. */
export const fileStem = (name: string): string => name.replace(/[^\p{L}\p{N}._-]+/gu, '-')

/** What a file for clients of RDP is saved as. */
export const rdpFileName = (name: string): string => `${fileStem(name)}.rdp`
