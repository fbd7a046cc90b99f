//! The objects of SARIF 2.1.0 that are written, by their names in the standard (section 3).

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<'a> {
    pub(super) tool: Tool<'a>,
    pub(super) invocations: [Invocation; 1],
    pub(super) original_uri_base_ids: BTreeMap<&'static str, BaseLocation>,
    pub(super) column_kind: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) taxonomies: Vec<Taxonomy>,
    pub(super) results: Vec<ResultObject<'a>>,
    pub(super) properties: BTreeMap<&'a str, Value>,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    pub(super) driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver<'a> {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) rules: Vec<Descriptor<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) supported_taxonomies: Vec<ComponentName>,
}

/// A `reportingDescriptor`: a rule.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor<'a> {
    pub(super) id: &'a str,
    pub(super) short_description: Message<'a>,
    pub(super) full_description: Message<'a>,
    pub(super) help: Help<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help_uri: Option<String>,
    pub(super) default_configuration: Configuration,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) relationships: Vec<Relationship>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) properties: BTreeMap<&'static str, Value>,
}

#[derive(Serialize)]
pub(super) struct Help<'a> {
    pub(super) text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) markdown: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

#[derive(Serialize)]
pub(super) struct Relationship {
    pub(super) target: TaxonReference,
    pub(super) kinds: [&'static str; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TaxonReference {
    pub(super) id: String,
    pub(super) tool_component: ComponentName,
}

#[derive(Serialize)]
pub(super) struct ComponentName {
    pub(super) name: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Taxonomy {
    pub(super) name: &'static str,
    pub(super) organization: &'static str,
    pub(super) information_uri: &'static str,
    pub(super) short_description: Message<'static>,
    pub(super) is_comprehensive: bool,
    pub(super) taxa: Vec<Taxon>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Taxon {
    pub(super) id: String,
    pub(super) help_uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    pub(super) level: &'static str,
    pub(super) message: OwnedMessage,
}

#[derive(Serialize)]
pub(super) struct BaseLocation {
    pub(super) description: Message<'static>,
}

#[derive(Serialize)]
pub(super) struct Message<'a> {
    pub(super) text: &'a str,
}

#[derive(Serialize)]
pub(super) struct OwnedMessage {
    pub(super) text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultObject<'a> {
    pub(super) rule_id: &'a str,
    pub(super) rule_index: usize,
    pub(super) kind: &'static str,
    pub(super) level: &'static str,
    pub(super) message: OwnedMessage,
    pub(super) locations: Vec<LocationObject>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) code_flows: Vec<CodeFlow>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suppressions: Option<[SuppressionObject; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rank: Option<f64>,
    pub(super) properties: BTreeMap<&'a str, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LocationObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) logical_locations: Option<[LogicalLocation; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<OwnedMessage>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_column: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    pub(super) fully_qualified_name: String,
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeFlow {
    pub(super) message: OwnedMessage,
    pub(super) thread_flows: [ThreadFlow; 1],
}

#[derive(Serialize)]
pub(super) struct ThreadFlow {
    pub(super) locations: Vec<ThreadFlowLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadFlowLocation {
    pub(super) location: LocationObject,
    pub(super) nesting_level: usize,
    pub(super) execution_order: usize,
    pub(super) importance: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) kinds: Vec<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) state: BTreeMap<String, OwnedMessage>,
}

#[derive(Serialize)]
pub(super) struct SuppressionObject {
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) justification: String,
}
