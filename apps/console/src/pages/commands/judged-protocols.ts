/** Protocols whose commands can be judged (contract/assets.yaml, form of command filters). */
export const JUDGED_PROTOCOLS = { protocol__in: 'ssh,telnet,mysql,postgresql,mariadb,oracle,sqlserver,k8s' }
/** Applications to which commands are sent: databases. */
export const JUDGED_APPLICATIONS = { category: 'db' }
