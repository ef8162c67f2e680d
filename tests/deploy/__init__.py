"""The Helm chart, rendered by Helm itself and checked with the schemas of Kubernetes."""
