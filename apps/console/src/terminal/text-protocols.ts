/** Protocols whose sessions are shown as text in the web terminal. */
export const TEXT_PROTOCOLS: readonly string[] = ['ssh', 'telnet', 'mysql', 'mariadb', 'postgresql', 'redis', 'k8s']

/** Protocols whose sessions are shown as a picture. */
export const DESKTOP_PROTOCOLS: readonly string[] = ['vnc']
