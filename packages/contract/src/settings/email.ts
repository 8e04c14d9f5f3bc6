import { defineSettings } from './define.ts'

/** docs/rules/settings.md#setting_email. */
export const email = defineSettings({
  EMAIL_HOST: {
    type: 'string',
    label: 'SMTP host',
    helpText: 'Empty: no mail is sent',
    required: true,
    blank: true,
    maxLength: 1024,
    default: '',
  },
  EMAIL_PORT: { type: 'string', label: 'SMTP port', required: true, blank: true, maxLength: 5, default: '' },
  EMAIL_HOST_USER: {
    type: 'string',
    label: 'SMTP account',
    helpText: 'Mail is sent once this is filled',
    required: true,
    blank: true,
    maxLength: 128,
    default: '',
  },
  EMAIL_HOST_PASSWORD: {
    type: 'string',
    label: 'SMTP password',
    helpText: 'Without one, Sallyport does not sign in to the mail server, as some relays want it',
    maxLength: 1024,
    writeOnly: true,
    sentTo: { addresses: ['EMAIL_HOST', 'EMAIL_PORT'], encryptedBy: ['EMAIL_USE_SSL', 'EMAIL_USE_TLS'] },
    default: '',
  },
  EMAIL_FROM: {
    type: 'string',
    label: 'Sender',
    helpText: 'Address of the sender; the SMTP account when empty',
    maxLength: 128,
    default: '',
  },
  EMAIL_RECIPIENT: {
    type: 'string',
    label: 'Test recipient',
    helpText: 'Address for the test mail',
    maxLength: 128,
    default: '',
  },
  EMAIL_USE_SSL: {
    type: 'boolean',
    label: 'Use SSL',
    helpText: 'Encrypted from the start, usual on port 465',
    default: false,
  },
  EMAIL_USE_TLS: {
    type: 'boolean',
    label: 'Use TLS',
    helpText: 'Encrypted after the greeting (STARTTLS), usual on port 587',
    default: false,
  },
  EMAIL_SUBJECT_PREFIX: {
    type: 'string',
    label: 'Subject prefix',
    helpText: 'Put before the subject of the welcome mail',
    required: true,
    blank: true,
    maxLength: 1024,
    default: '',
  },
})

/** docs/rules/settings.md#setting_email_content. */
export const email_content = defineSettings({
  EMAIL_CUSTOM_USER_CREATED_SUBJECT: {
    type: 'string',
    label: 'Welcome mail subject',
    helpText: 'Empty is the built-in text in the language of the reader',
    maxLength: 1024,
    default: '',
  },
  EMAIL_CUSTOM_USER_CREATED_HONORIFIC: {
    type: 'string',
    label: 'Welcome mail salutation',
    helpText: 'Such as Hello {name}',
    maxLength: 1024,
    default: '',
  },
  EMAIL_CUSTOM_USER_CREATED_BODY: {
    type: 'text',
    label: 'Welcome mail content',
    helpText: '{username}, {name} and {email} are filled in',
    maxLength: 4096,
    default: '',
  },
  EMAIL_CUSTOM_USER_CREATED_SIGNATURE: { type: 'string', label: 'Signature', maxLength: 512, default: '' },
})
