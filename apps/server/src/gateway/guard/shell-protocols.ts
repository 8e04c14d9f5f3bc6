/** Protocols whose lines a shell reads, or something like it. */
const SHELLS = new Set(['ssh', 'telnet'])

/** Whether what is sent by this protocol is run by a shell, which takes it apart first. */
export const isForShell = (protocol: string): boolean => SHELLS.has(protocol)
