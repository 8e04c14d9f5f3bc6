/** Protocols whose sessions are shown as text in the web terminal. */
export const TEXT_PROTOCOLS: readonly string[] = [
  ...['ssh', 'telnet'],
  ...['mysql', 'mariadb', 'postgresql', 'sqlserver', 'oracle', 'redis', 'k8s'],
]

/** Protocols of databases that a workbench opens, beside the prompt that they have in a terminal. */
export const DATABASE_PROTOCOLS: readonly string[] = [
  ...['mysql', 'mariadb', 'postgresql', 'sqlserver', 'oracle', 'redis'],
]

/** All that has a page beside its prompt: a database its workbench, a cluster its resources. */
export const WORKBENCH_PROTOCOLS: readonly string[] = [...DATABASE_PROTOCOLS, 'k8s']

/** Types of remote apps: applications that are shown as a picture, over the protocol of their machine. */
export const REMOTE_APP_TYPES: readonly string[] = ['chrome', 'mysql_workbench', 'vmware_client', 'custom']

/** Protocols whose sessions are shown as a picture. */
export const DESKTOP_PROTOCOLS: readonly string[] = ['rdp', 'vnc']
