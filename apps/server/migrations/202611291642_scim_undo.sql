-- Providers, and what they keep, come back by undo like all that people configure.
CALL kernel_keep_for_undo('scim_provider', 'scim_person', 'scim_group');
