/** Rules of the company, and what waits for a decision. */

import type { Draft } from './rows.ts'

const EVERYWHERE = { ip_group: ['*'], time_period: [] }

/** By name; `person` is a user name. */
export const SIGN_IN_RULES: readonly { name: string; person: string; action: string; rules: unknown }[] = [
  {
    name: 'Contractors: from the factory alone',
    person: 'out.fengtao',
    action: 'allow',
    rules: { ip_group: ['10.40.0.0/16'], time_period: [] },
  },
  { name: 'Working from abroad: ask first 海外登录', person: 'out.ines.costa', action: 'confirm', rules: EVERYWHERE },
]

const PAYMENT_HOSTS = ['pay-01', 'pay-02', 'pay-03', 'pay-04', 'pay-05', 'pay-06']

export const CONNECTION_RULE: Draft = {
  name: 'Payments: a second pair of eyes 支付区双人',
  users: { username_group: ['*'] },
  system_users: { name_group: ['*'], username_group: ['*'], protocol_group: ['*'] },
  assets: { hostname_group: PAYMENT_HOSTS, ip_group: ['*'] },
}

export const COMMAND_FILTER = 'Dangerous commands 危险命令'

/** Reviewers are added where a rule has commands confirmed. */
export const COMMAND_RULES: readonly Draft[] = [
  {
    type: 'regex',
    content: 'rm\\s+-rf\\b|\\bmkfs|\\bdd\\s+if=|chmod\\s+777|DROP\\s+(TABLE|DATABASE)',
    action: 0,
    priority: 10,
    comment: 'What cannot be taken back',
  },
  { type: 'command', content: 'reboot\nshutdown\npoweroff', action: 2, priority: 20, comment: 'In the working hours' },
]

export interface AccessRequest {
  title: string
  username: string
  comment: string
  assets?: readonly string[]
  nodes?: readonly string[]
  systemUsers: readonly string[]
  actions: readonly string[]
  days: number
}

/** A request for one database. */
export const DATABASE_REQUEST = {
  title: 'Order database, for the yearly figures 年度报表',
  username: 'emma.jansen',
  comment: 'The controllers want the returns by month; reading is enough.',
  application: 'shop-orders 订单库',
  systemUser: 'orders report',
  days: 3,
}

export const ACCESS_REQUESTS: readonly AccessRequest[] = [
  {
    title: 'Logs of the API for the lost orders 查丢单',
    username: 'liuyang',
    comment: '客户投诉三笔订单丢失，需要看两天的日志。',
    assets: ['shop-api-04', 'shop-api-05'],
    systemUsers: ['readonly'],
    actions: ['connect', 'download_file'],
    days: 2,
  },
  {
    title: 'Databases of staging, for the migration',
    username: 'emma.jansen',
    comment: 'The new stock table is tried there until Thursday; Anna knows of it.',
    nodes: ['/Staging 预发布/Databases 数据库'],
    systemUsers: ['root'],
    actions: ['connect', 'upload_file', 'download_file'],
    days: 4,
  },
]
