/**
 * A believable company, as data: a maker of bicycles with a web shop, offices in Shanghai and
 * Rotterdam, and people who write in both scripts.
 */

export const GROUPS: Readonly<Record<string, readonly (readonly [username: string, name: string])[]>> = {
  'Operations 运维': [
    ['zhangwei', '张伟'],
    ['limin', '李敏'],
    ['jan.devries', 'Jan de Vries'],
    ['chenjie', '陈杰'],
    ['maria.santos', 'Maria Santos'],
  ],
  'Development 研发': [
    ['wangfang', '王芳'],
    ['liuyang', '刘洋'],
    ['emma.jansen', 'Emma Jansen'],
    ['tom.baker', 'Tom Baker'],
    ['zhaolei', '赵磊'],
    ['sunli', '孙丽'],
    ['noah.visser', 'Noah Visser'],
  ],
  'Database 数据库': [
    ['huangbo', '黄波'],
    ['anna.kowalska', 'Anna Kowalska'],
    ['xuhui', '徐辉'],
  ],
  'Network 网络': [
    ['zhoutao', '周涛'],
    ['peter.smit', 'Peter Smit'],
    ['wugang', '吴刚'],
  ],
  'Security 安全': [
    ['guoxin', '郭欣'],
    ['sofia.rossi', 'Sofia Rossi'],
    ['maqiang', '马强'],
  ],
  'Data 数据': [
    ['linna', '林娜'],
    ['lucas.mulder', 'Lucas Mulder'],
    ['hejun', '何俊'],
    ['yara.haddad', 'Yara Haddad'],
  ],
  'Support 客服': [
    ['gaoyan', '高燕'],
    ['luoyu', '罗宇'],
    ['sam.degroot', 'Sam de Groot'],
    ['tangying', '唐颖'],
    ['fatima.bakker', 'Fatima Bakker'],
  ],
  'Contractors 外包': [
    ['out.hanmei', '韩梅'],
    ['out.dave.cole', 'Dave Cole'],
    ['out.fengtao', '冯涛'],
    ['out.ines.costa', 'Inês Costa'],
  ],
}

/** People with a system role. */
export const ADMINISTRATORS: readonly (readonly [username: string, name: string, role: 'Admin' | 'Auditor'])[] = [
  ['caoning', '曹宁', 'Admin'],
  ['laura.meijer', 'Laura Meijer', 'Auditor'],
]

/** Nodes of the asset tree, by their path below the root. */
export const NODES: readonly string[] = [
  '/Production 生产',
  '/Production 生产/Web shop 网店',
  '/Production 生产/Web shop 网店/Front',
  '/Production 生产/Web shop 网店/API',
  '/Production 生产/Payments 支付',
  '/Production 生产/Databases 数据库',
  '/Production 生产/Databases 数据库/MySQL',
  '/Production 生产/Databases 数据库/PostgreSQL',
  '/Production 生产/Factory 工厂',
  '/Production 生产/Factory 工厂/Line 1',
  '/Production 生产/Factory 工厂/Line 2',
  '/Staging 预发布',
  '/Staging 预发布/Web shop 网店',
  '/Staging 预发布/Databases 数据库',
  '/Test 测试',
  '/Test 测试/Builds 构建',
  '/Office 办公',
  '/Office 办公/Shanghai 上海',
  '/Office 办公/Rotterdam',
  '/Network 网络',
  '/Network 网络/Core 核心',
  '/Network 网络/Branches 分支',
]

export interface MachineKind {
  /** `web-{n}`: n counts from 01. */
  hostname: string
  count: number
  /** First address; counts up. */
  ip: string
  platform: string
  protocols: readonly string[]
  node: string
  label: string
  domain?: string
  /** The system user that tests them and reads their hardware. */
  admin_user?: string
  os?: string
  cpu?: number
  memory?: string
}

/** Reached through the demo's own network (`network.ts`). */
const DATA_CENTRE = 'Data centre 机房'

export const MACHINES: readonly MachineKind[] = [
  {
    hostname: 'shop-front-{n}',
    count: 12,
    ip: '10.10.1.11',
    platform: 'Linux',
    protocols: ['ssh/22'],
    node: '/Production 生产/Web shop 网店/Front',
    label: 'env:production',
    os: 'Debian',
    cpu: 8,
    memory: '16 GB',
    domain: DATA_CENTRE,
  },
  {
    hostname: 'shop-api-{n}',
    count: 16,
    ip: '10.10.2.11',
    platform: 'Linux',
    protocols: ['ssh/22'],
    node: '/Production 生产/Web shop 网店/API',
    label: 'env:production',
    os: 'Debian',
    cpu: 16,
    memory: '32 GB',
    domain: DATA_CENTRE,
  },
  {
    hostname: 'pay-{n}',
    count: 6,
    ip: '10.10.3.11',
    platform: 'Linux',
    protocols: ['ssh/22'],
    node: '/Production 生产/Payments 支付',
    label: 'env:production',
    domain: 'Payment zone 支付区',
    os: 'Rocky',
    cpu: 8,
    memory: '32 GB',
  },
  {
    hostname: 'mysql-{n}',
    count: 6,
    ip: '10.10.4.11',
    platform: 'Linux',
    protocols: ['ssh/22'],
    node: '/Production 生产/Databases 数据库/MySQL',
    label: 'env:production',
    os: 'Rocky',
    cpu: 32,
    memory: '256 GB',
    domain: DATA_CENTRE,
  },
  {
    hostname: 'pg-{n}',
    count: 5,
    ip: '10.10.5.11',
    platform: 'Linux',
    protocols: ['ssh/22'],
    node: '/Production 生产/Databases 数据库/PostgreSQL',
    label: 'env:production',
    os: 'Debian',
    cpu: 32,
    memory: '256 GB',
    domain: DATA_CENTRE,
    admin_user: 'maintenance',
  },
  {
    hostname: 'plc-line1-{n}',
    count: 8,
    ip: '10.40.1.11',
    platform: 'Unix',
    protocols: ['ssh/22', 'telnet/23'],
    node: '/Production 生产/Factory 工厂/Line 1',
    label: 'site:factory',
    domain: 'Factory 工厂',
  },
  {
    hostname: 'plc-line2-{n}',
    count: 8,
    ip: '10.40.2.11',
    platform: 'Unix',
    protocols: ['ssh/22', 'telnet/23'],
    node: '/Production 生产/Factory 工厂/Line 2',
    label: 'site:factory',
    domain: 'Factory 工厂',
  },
  {
    hostname: 'stage-shop-{n}',
    count: 8,
    ip: '10.20.1.11',
    platform: 'Linux',
    protocols: ['ssh/22'],
    node: '/Staging 预发布/Web shop 网店',
    label: 'env:staging',
    os: 'Debian',
    cpu: 4,
    memory: '8 GB',
    domain: DATA_CENTRE,
  },
  {
    hostname: 'stage-db-{n}',
    count: 3,
    ip: '10.20.2.11',
    platform: 'Linux',
    protocols: ['ssh/22'],
    node: '/Staging 预发布/Databases 数据库',
    label: 'env:staging',
    os: 'Debian',
    cpu: 8,
    memory: '32 GB',
    domain: DATA_CENTRE,
  },
  {
    hostname: 'build-{n}',
    count: 10,
    ip: '10.30.1.11',
    platform: 'Linux',
    protocols: ['ssh/22'],
    node: '/Test 测试/Builds 构建',
    label: 'env:test',
    os: 'Ubuntu',
    cpu: 16,
    memory: '64 GB',
    domain: DATA_CENTRE,
  },
  {
    hostname: 'mac-build-{n}',
    count: 3,
    ip: '10.30.2.11',
    platform: 'MacOS',
    protocols: ['ssh/22', 'vnc/5900'],
    node: '/Test 测试/Builds 构建',
    label: 'env:test',
  },
  {
    hostname: 'sh-desktop-{n}',
    count: 12,
    ip: '10.50.1.11',
    platform: 'Windows',
    protocols: ['rdp/3389'],
    node: '/Office 办公/Shanghai 上海',
    label: 'site:shanghai',
  },
  {
    hostname: 'rtm-desktop-{n}',
    count: 8,
    ip: '10.51.1.11',
    platform: 'Windows',
    protocols: ['rdp/3389'],
    node: '/Office 办公/Rotterdam',
    label: 'site:rotterdam',
  },
  {
    hostname: 'core-switch-{n}',
    count: 6,
    ip: '10.1.0.11',
    platform: 'Other',
    protocols: ['ssh/22', 'telnet/23'],
    node: '/Network 网络/Core 核心',
    label: 'kind:network',
  },
  {
    hostname: 'branch-router-{n}',
    count: 8,
    ip: '10.2.0.11',
    platform: 'Other',
    protocols: ['ssh/22'],
    node: '/Network 网络/Branches 分支',
    label: 'kind:network',
  },
]

/**
 * This machine itself: a person who tries the demo can put their own password on its system user.
 */
export const THIS_MACHINE = {
  hostname: 'this-machine',
  ip: '127.0.0.1',
  platform: 'Linux',
  protocols: ['ssh/22'],
  node: '/Test 测试',
}

/** A gateway without an address is the demo's own. */
export const DOMAINS: readonly { name: string; gateway: { name: string; ip?: string } }[] = [
  { name: DATA_CENTRE, gateway: { name: 'data-centre-gateway' } },
  { name: 'Payment zone 支付区', gateway: { name: 'pay-gateway' } },
  { name: 'Factory 工厂', gateway: { name: 'factory-gateway', ip: '10.40.0.2' } },
]

/** In the demo's network, and not answering. */
export const UNREACHABLE: readonly string[] = ['pg-05', 'shop-front-12']

export const SYSTEM_USERS: readonly Readonly<Record<string, unknown>>[] = [
  { name: 'root', username: 'root', protocol: 'ssh', login_mode: 'auto', priority: 60, type: 'common' },
  { name: 'deploy', username: 'deploy', protocol: 'ssh', login_mode: 'auto', priority: 40, type: 'common' },
  { name: 'readonly', username: 'readonly', protocol: 'ssh', login_mode: 'auto', priority: 20, type: 'common' },
  {
    name: 'maintenance',
    username: 'ops',
    protocol: 'ssh',
    login_mode: 'auto',
    priority: 80,
    type: 'admin',
  },
  {
    name: 'own account',
    username: '',
    username_same_with_user: true,
    protocol: 'ssh',
    login_mode: 'manual',
    priority: 20,
    type: 'common',
  },
  {
    name: 'Administrator',
    username: 'Administrator',
    protocol: 'rdp',
    login_mode: 'auto',
    priority: 50,
    type: 'common',
  },
  { name: 'operator', username: 'operator', protocol: 'telnet', login_mode: 'auto', priority: 50, type: 'common' },
  { name: 'screen', username: 'builder', protocol: 'vnc', login_mode: 'auto', priority: 50, type: 'common' },
]

export interface Grant {
  name: string
  groups?: readonly string[]
  /** User names. */
  people?: readonly string[]
  nodes: readonly string[]
  systemUsers: readonly string[]
  actions?: readonly string[]
  /** Days from now; far away when absent. */
  days?: number
  /** Where connections may be forwarded to from there. */
  forwarding?: readonly string[]
}

export const GRANTS: readonly Grant[] = [
  {
    name: 'Operations: everything',
    groups: ['Operations 运维'],
    nodes: ['/Production 生产', '/Staging 预发布', '/Test 测试'],
    systemUsers: ['root', 'deploy'],
  },
  {
    name: 'Developers: staging and test',
    groups: ['Development 研发'],
    nodes: ['/Staging 预发布', '/Test 测试'],
    systemUsers: ['deploy', 'readonly'],
    forwarding: ['localhost:3000-9999', '*.staging.example.com:443'],
  },
  {
    name: 'Developers: look at the shop',
    groups: ['Development 研发'],
    nodes: ['/Production 生产/Web shop 网店'],
    systemUsers: ['readonly'],
    actions: ['connect'],
  },
  {
    name: 'Databases',
    groups: ['Database 数据库'],
    nodes: ['/Production 生产/Databases 数据库', '/Staging 预发布/Databases 数据库'],
    systemUsers: ['root', 'own account'],
  },
  {
    name: 'Network gear',
    groups: ['Network 网络'],
    nodes: ['/Network 网络'],
    systemUsers: ['operator', 'own account'],
  },
  { name: 'Office desktops', groups: ['Support 客服'], nodes: ['/Office 办公'], systemUsers: ['Administrator'] },
  {
    name: 'Factory for contractors 外包',
    groups: ['Contractors 外包'],
    nodes: ['/Production 生产/Factory 工厂'],
    systemUsers: ['operator'],
    actions: ['connect'],
    days: 5,
  },
  {
    name: 'Release night 发布夜',
    people: ['tom.baker', 'wangfang'],
    nodes: ['/Production 生产/Web shop 网店/API'],
    systemUsers: ['deploy'],
    days: 1,
  },
  {
    name: 'Audit of the databases, third quarter',
    people: ['sofia.rossi'],
    nodes: ['/Production 生产/Databases 数据库'],
    systemUsers: ['readonly'],
    actions: ['connect'],
    days: -9,
  },
  {
    name: 'Try the demo',
    people: ['admin'],
    nodes: ['/Staging 预发布', '/Production 生产/Web shop 网店', '/Production 生产/Databases 数据库'],
    systemUsers: ['root', 'deploy'],
  },
]

export const SECOND_ORG = {
  name: 'Rotterdam Trading',
  people: [
    ['rt.admin', 'Bram Peters', 'Admin'],
    ['rt.anna', 'Anna Willems', 'User'],
    ['rt.kofi', 'Kofi Mensah', 'User'],
  ] as const,
  machines: ['ledger-01', 'ledger-02', 'mail-01', 'files-01'],
}

/** People who can't sign in. */
export const DISABLED: readonly string[] = ['luoyu', 'out.dave.cole']

export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36'

/** Locked by so many wrong passwords from one address. */
export const LOCKED = { username: 'yara.haddad', ip: '203.0.113.71', times: 7 }

export interface FailedSignIn {
  username: string
  ip: string
  city: string
  /** A code of the login log. */
  reason: string
  hoursAgo: number
  times?: number
}

export const FAILED_SIGN_INS: readonly FailedSignIn[] = [
  { username: 'noah.visser', ip: '198.51.100.14', city: 'Utrecht', reason: 'mfa_failed', hoursAgo: 49 },
  {
    username: 'out.dave.cole',
    ip: '198.51.100.77',
    city: 'Porto, Portugal',
    reason: 'user_inactive',
    hoursAgo: 31,
    times: 2,
  },
  { username: 'root', ip: '203.0.113.9', city: 'Ashburn, US', reason: 'user_not_exist', hoursAgo: 20, times: 4 },
  { username: 'oracle', ip: '203.0.113.9', city: 'Ashburn, US', reason: 'user_not_exist', hoursAgo: 19.9, times: 3 },
  { username: 'chenjie', ip: '10.50.1.28', city: 'LAN', reason: 'password_failed', hoursAgo: 6 },
  {
    username: LOCKED.username,
    ip: LOCKED.ip,
    city: 'Rotterdam, Netherlands',
    reason: 'password_failed',
    hoursAgo: 0.2,
    times: LOCKED.times,
  },
]
