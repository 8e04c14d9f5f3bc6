/**
 * Where the secret of an account is, if it is in a store outside of Sallyport. Clients that know
 * nothing of it leave these fields out, and nothing changes.
 */
export const SECRET_REFERENCE = {
  secret_source: { type: 'ref', label: 'Secret source', nullable: true, to: 'secret_source' },
  secret_path: {
    type: 'string',
    label: 'Path of the secret',
    helpText: 'In the store, such as linux/web-1',
    blank: true,
    maxLength: 512,
  },
  secret_field: {
    type: 'string',
    label: 'Field of the secret',
    helpText: 'Its name in that secret, such as password; a private key is recognized',
    blank: true,
    maxLength: 128,
  },
  kept_in: { type: 'string', label: 'Kept in', readOnly: true },
} as const
