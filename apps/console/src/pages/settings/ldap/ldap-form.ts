/** The LDAP tab's forms, as data (docs/rules/settings.md#ldap_user). */
import { msg } from '../../../lib/i18n.ts'
import type { SettingForm } from '../setting-form.ts'

export const LDAP: SettingForm = {
  category: 'ldap',
  groups: [
    {
      title: msg('LDAP server'),
      fields: [
        'AUTH_LDAP',
        'AUTH_LDAP_SERVER_URI',
        { name: 'AUTH_LDAP_BIND_DN', required: true },
        'AUTH_LDAP_BIND_PASSWORD',
      ],
    },
    {
      title: msg('People in the directory'),
      fields: [
        { name: 'AUTH_LDAP_SEARCH_OU', required: true },
        'AUTH_LDAP_SEARCH_FILTER',
        'AUTH_LDAP_GROUP_SEARCH_OU',
        { name: 'AUTH_LDAP_USER_ATTR_MAP', widget: 'json' },
      ],
    },
    { title: msg('Other'), fields: ['AUTH_LDAP_CONNECT_TIMEOUT', 'AUTH_LDAP_SEARCH_PAGED_SIZE'] },
  ],
}

export const LDAP_SYNC: SettingForm = {
  category: 'ldap',
  groups: [
    {
      title: '',
      fields: [
        { name: 'AUTH_LDAP_SYNC_IS_PERIODIC', widget: 'switch' },
        { name: 'AUTH_LDAP_SYNC_CRONTAB', widget: 'cron' },
        { name: 'AUTH_LDAP_SYNC_INTERVAL', widget: 'interval' },
      ],
    },
  ],
}
