/** Protocols of system users: first those of assets, then those of applications. */
export const PROTOCOL_CHOICES = {
  ssh: 'SSH',
  rdp: 'RDP',
  telnet: 'Telnet',
  vnc: 'VNC',
  mysql: 'MySQL',
  redis: 'Redis',
  oracle: 'Oracle',
  mariadb: 'MariaDB',
  postgresql: 'PostgreSQL',
  sqlserver: 'SQLServer',
  k8s: 'Kubernetes',
} as const

/** Protocols of assets; all others belong to applications. */
export const ASSET_PROTOCOLS = ['ssh', 'rdp', 'telnet', 'vnc'] as const
