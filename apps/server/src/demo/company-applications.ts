/** The company's targets beside its machines: databases, programs on desktops, clusters. */
import type { ApplicationType } from '@sallyport/contract/resources/applications/application-types.ts'

const DATA_CENTRE = 'Data centre 机房'

export interface ApplicationPlan {
  name: string
  type: ApplicationType
  attrs: Readonly<Record<string, unknown>>
  /** Host name of the machine that a remote app is started on. */
  machine?: string
  /** Name of the domain that it is reached through. */
  network?: string
  comment?: string
}

export const APPLICATIONS: readonly ApplicationPlan[] = [
  {
    name: 'shop-orders 订单库',
    type: 'mysql',
    attrs: { host: '10.10.4.11', port: 3306, database: 'orders' },
    network: DATA_CENTRE,
    comment: 'Orders of the web shop',
  },
  {
    name: 'shop-catalog 商品库',
    type: 'mariadb',
    attrs: { host: '10.10.4.14', port: 3306, database: 'catalog' },
    network: DATA_CENTRE,
  },
  {
    name: 'warehouse 仓储',
    type: 'postgresql',
    attrs: { host: '10.10.5.11', port: 5432, database: 'warehouse' },
    network: DATA_CENTRE,
    comment: 'Stock and movements; reports read here',
  },
  {
    name: 'warehouse-staging',
    type: 'postgresql',
    attrs: { host: '10.20.2.11', port: 5432, database: 'warehouse' },
    network: DATA_CENTRE,
  },
  {
    name: 'shop-cache 缓存',
    type: 'redis',
    attrs: { host: '10.10.2.40', port: 6379, database: '0' },
    network: DATA_CENTRE,
  },
  {
    name: 'ledger 总账',
    type: 'oracle',
    attrs: { host: '10.10.6.11', port: 1521, database: 'LEDGER' },
  },
  {
    name: 'factory-mes 制造执行',
    type: 'sqlserver',
    attrs: { host: '10.40.0.20', port: 1433, database: 'MES' },
    network: 'Factory 工厂',
  },
  {
    name: 'Supplier portal 供应商门户',
    type: 'chrome',
    attrs: { chrome_target: 'https://suppliers.example.com/', chrome_username: 'harbour' },
    machine: 'rtm-desktop-01',
  },
  {
    name: 'Orders in Workbench',
    type: 'mysql_workbench',
    attrs: {
      mysql_workbench_ip: '10.10.4.11',
      mysql_workbench_port: 3306,
      mysql_workbench_name: 'orders',
      mysql_workbench_username: 'report',
    },
    machine: 'sh-desktop-01',
  },
  {
    name: 'vSphere of the data centre',
    type: 'vmware_client',
    attrs: { vmware_target: 'vcenter.example.com', vmware_username: 'ops@vsphere.local' },
    machine: 'sh-desktop-02',
  },
  {
    name: 'Label printer 标签打印',
    type: 'custom',
    attrs: { path: 'C:\\Program Files\\Labels\\labels.exe', custom_cmdline: '--line 1' },
    machine: 'rtm-desktop-02',
  },
  {
    name: 'shop-production',
    type: 'k8s',
    attrs: { cluster: 'https://10.10.8.1:6443' },
    network: DATA_CENTRE,
    comment: 'Web shop and its API',
  },
  { name: 'staging', type: 'k8s', attrs: { cluster: 'https://10.20.8.1:6443' }, network: DATA_CENTRE },
]

export const APPLICATION_SYSTEM_USERS: readonly Readonly<Record<string, unknown>>[] = [
  { name: 'orders report', username: 'report', protocol: 'mysql', login_mode: 'auto', priority: 30 },
  { name: 'catalog owner', username: 'catalog', protocol: 'mariadb', login_mode: 'auto', priority: 50 },
  { name: 'warehouse report', username: 'report', protocol: 'postgresql', login_mode: 'auto', priority: 30 },
  { name: 'warehouse owner', username: 'warehouse', protocol: 'postgresql', login_mode: 'auto', priority: 60 },
  { name: 'cache', username: '', protocol: 'redis', login_mode: 'auto', priority: 50 },
  { name: 'ledger reader', username: 'reader', protocol: 'oracle', login_mode: 'auto', priority: 50 },
  { name: 'mes reader', username: 'reader', protocol: 'sqlserver', login_mode: 'auto', priority: 50 },
  { name: 'cluster viewer', protocol: 'k8s', login_mode: 'auto', priority: 50 },
  { name: 'apps', username: 'apps', protocol: 'rdp', login_mode: 'auto', priority: 50 },
]

export interface ApplicationGrant {
  name: string
  type: ApplicationType
  groups?: readonly string[]
  /** User names. */
  people?: readonly string[]
  applications: readonly string[]
  systemUsers: readonly string[]
  actions?: readonly string[]
}

export const APPLICATION_GRANTS: readonly ApplicationGrant[] = [
  {
    name: 'Warehouse: reports 仓储报表',
    type: 'postgresql',
    groups: ['Data 数据', 'Database 数据库'],
    people: ['admin'],
    applications: ['warehouse 仓储'],
    systemUsers: ['warehouse report'],
    actions: ['connect', 'download_file'],
  },
  {
    name: 'Warehouse: staging',
    type: 'postgresql',
    groups: ['Development 研发', 'Database 数据库'],
    people: ['admin'],
    applications: ['warehouse-staging'],
    systemUsers: ['warehouse owner', 'warehouse report'],
  },
  {
    name: 'Orders: look things up',
    type: 'mysql',
    groups: ['Support 客服', 'Database 数据库'],
    people: ['admin'],
    applications: ['shop-orders 订单库'],
    systemUsers: ['orders report'],
    actions: ['connect'],
  },
  {
    name: 'Cache of the shop',
    type: 'redis',
    groups: ['Operations 运维'],
    people: ['admin'],
    applications: ['shop-cache 缓存'],
    systemUsers: ['cache'],
  },
  {
    name: 'Clusters for operations 集群',
    type: 'k8s',
    groups: ['Operations 运维'],
    people: ['admin'],
    applications: ['shop-production', 'staging'],
    systemUsers: ['cluster viewer'],
    actions: ['connect'],
  },
  {
    name: 'Supplier portal',
    type: 'chrome',
    groups: ['Support 客服'],
    people: ['admin'],
    applications: ['Supplier portal 供应商门户'],
    systemUsers: ['apps'],
  },
]
