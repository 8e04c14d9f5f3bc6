/** Names of SAML 2.0 and of the standards that it uses. */
export const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const SAMLP = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
export const DSIG = 'http://www.w3.org/2000/09/xmldsig#'
export const REDIRECT_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
