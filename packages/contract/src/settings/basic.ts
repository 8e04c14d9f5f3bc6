import { defineSettings } from './define.ts'

/** docs/rules/settings.md#setting_basic; TERMS_URL is ours. */
export const basic = defineSettings({
  SITE_URL: {
    type: 'url',
    label: 'Site URL',
    helpText: 'Address at which people open this site; links in mails begin with it',
    required: true,
    blank: true,
    maxLength: 1024,
    default: 'http://localhost:8080',
  },
  USER_GUIDE_URL: {
    type: 'url',
    label: 'User guide URL',
    helpText: 'Shown to people after their first sign-in; empty shows none',
    nullable: true,
    maxLength: 1024,
    default: '',
  },
  TERMS_URL: {
    type: 'url',
    label: 'Terms of use URL',
    helpText: 'People agree to them at their first sign-in; empty asks nobody',
    nullable: true,
    maxLength: 1024,
    default: '',
  },
  FORGOT_PASSWORD_URL: {
    type: 'url',
    label: 'Forgot password URL',
    helpText: 'Target of “Forgot password” if passwords are kept elsewhere; empty is the page of this site',
    nullable: true,
    maxLength: 1024,
    default: '',
  },
  GLOBAL_ORG_DISPLAY_NAME: {
    type: 'string',
    label: 'Global organization name',
    helpText: 'Name of the organization that spans all others',
    nullable: true,
    maxLength: 1024,
    default: '',
  },
  TICKETS_ENABLED: {
    type: 'boolean',
    label: 'Enable tickets',
    helpText: 'People ask for access, and approvers decide',
    default: true,
  },
  ANNOUNCEMENT_ENABLED: { type: 'boolean', label: 'Enable announcement', default: true },
  ANNOUNCEMENT: {
    type: 'object',
    label: 'Announcement',
    required: true,
    default: {},
    fields: {
      // A new one at each save makes the banner appear again.
      ID: { type: 'string', label: 'ID', readOnly: true },
      SUBJECT: { type: 'string', label: 'Subject', required: true, maxLength: 1024 },
      CONTENT: { type: 'text', label: 'Content', required: true },
      LINK: { type: 'url', label: 'More URL', nullable: true, maxLength: 1024, default: '' },
    },
  },
})
