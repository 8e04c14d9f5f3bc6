/** Protocols whose commands can be judged (docs/rules/assets.md#command_filter). */
export const JUDGED_PROTOCOLS = { protocol__in: 'ssh,telnet,mysql,postgresql,mariadb,oracle,sqlserver,k8s' }
/** Applications to which commands are sent: databases. */
export const JUDGED_APPLICATIONS = { category: 'db' }
